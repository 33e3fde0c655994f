import { invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import {
  checkDns1123Subdomain,
  checkPortName,
  checkPortNumber,
  checkWildcardDns1123Subdomain,
  nameIsLabel,
} from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Ingress, IngressBackend, IngressSpec } from "../../../../shared/api/types.ts";
import { checkLegacyIp, ipWarnings } from "../ip-rules.ts";
import { checkTypedReference } from "../references.ts";
import type { Strategy } from "../strategy.ts";

type HttpPath = NonNullable<NonNullable<IngressSpec["rules"]>[number]["http"]>["paths"][number];

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const NO_SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const NO_SUFFIXES = ["/..", "/."];

function checkBackend({ resource, service }: IngressBackend, path: string): StatusCause[] {
  if (resource && service) return [invalidValue(path, "", "cannot set both resource and service backends")];
  if (resource) return checkTypedReference(resource, `${path}.resource`);
  if (!service) return [invalidValue(path, "", "resource or service backend is required")];
  const field = `${path}.service.name`;
  const causes = service.name
    ? nameIsLabel(service.name, false).map((message) => invalidValue(field, service.name, message))
    : [required(field)];
  const { name, number } = service.port ?? {};
  if (name && number) causes.push(invalidValue(path, "", "cannot set both port name & port number"));
  else if (name) {
    causes.push(...checkPortName(name).map((message) => invalidValue(`${path}.service.port.name`, name, message)));
  } else if (number) {
    causes.push(
      ...checkPortNumber(number).map((message) => invalidValue(`${path}.service.port.number`, number, message)),
    );
  } else causes.push(required(path, "port name or number is required"));
  return causes;
}

function checkPath({ pathType, path = "", backend }: HttpPath, at: string): StatusCause[] {
  if (pathType === undefined || pathType === null) return [required(`${at}.pathType`, "pathType must be specified")];
  const causes: StatusCause[] = [];
  const fail = (detail: string) => causes.push(invalidValue(`${at}.path`, path, detail));
  const isAbsolute = path.startsWith("/");
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!isAbsolute) fail("must be an absolute path");
    for (const part of NO_SEQUENCES) if (path.includes(part)) fail(`must not contain '${part}'`);
    for (const end of NO_SUFFIXES) if (path.endsWith(end)) fail(`cannot end with '${end}'`);
  } else if (pathType === "ImplementationSpecific") {
    if (path !== "" && !isAbsolute) fail("must be an absolute path");
  } else {
    causes.push(notSupported(`${at}.pathType`, pathType, ["Exact", "ImplementationSpecific", "Prefix"]));
  }
  return [...causes, ...checkBackend(backend ?? {}, `${at}.backend`)];
}

function checkHost(host: string, field: string): StatusCause[] {
  const messages = host.includes("*") ? checkWildcardDns1123Subdomain(host) : checkDns1123Subdomain(host);
  return messages.map((message) => invalidValue(field, host, message));
}

function checkSpec(spec: IngressSpec): StatusCause[] {
  const { defaultBackend, rules, tls = [], ingressClassName } = spec;
  const causes: StatusCause[] = [];
  if ((rules ?? []).length === 0 && !defaultBackend) {
    causes.push(invalidValue("spec", rules ?? null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (defaultBackend) causes.push(...checkBackend(defaultBackend, "spec.defaultBackend"));
  for (const [i, { host, http }] of (rules ?? []).entries()) {
    const path = `spec.rules[${i}]`;
    if (host) {
      if (parseIp(host)) causes.push(invalidValue(`${path}.host`, host, "must be a DNS name, not an IP address"));
      causes.push(...checkHost(host, `${path}.host`));
    }
    if (!http) continue;
    if ((http.paths ?? []).length === 0) causes.push(required(`${path}.http.paths`));
    for (const [j, item] of (http.paths ?? []).entries()) causes.push(...checkPath(item, `${path}.http.paths[${j}]`));
  }
  for (const [i, { hosts = [], secretName }] of tls.entries()) {
    for (const [j, host] of hosts.entries()) causes.push(...checkHost(host, `spec.tls[${i}].hosts[${j}]`));
    const messages = secretName ? checkDns1123Subdomain(secretName) : [];
    causes.push(...messages.map((message) => invalidValue(`spec.tls[${i}].secretName`, secretName, message)));
  }
  if (ingressClassName !== undefined) {
    const messages = checkDns1123Subdomain(ingressClassName);
    causes.push(...messages.map((message) => invalidValue("spec.ingressClassName", ingressClassName, message)));
  }
  return causes;
}

function checkClassAnnotation({ metadata, spec }: Ingress): StatusCause[] {
  const annotation = metadata.annotations?.[CLASS_ANNOTATION];
  const name = spec?.ingressClassName;
  return annotation === undefined || name === undefined || annotation === name
    ? []
    : [
        invalidValue(
          `annotations.${CLASS_ANNOTATION}`,
          annotation,
          "must match `ingressClassName` when both are specified",
        ),
      ];
}

function checkStatus({ status }: Ingress, old: Ingress): StatusCause[] {
  const existing = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }, i) => {
    const path = `status.loadBalancer.ingress[${i}]`;
    const causes = ip ? checkLegacyIp(ip, `${path}.ip`, existing) : [];
    if (!hostname) return causes;
    const field = `${path}.hostname`;
    causes.push(...checkDns1123Subdomain(hostname).map((message) => invalidValue(field, hostname, message)));
    if (parseIp(hostname)) causes.push(invalidValue(field, hostname, "must be a DNS name, not an IP address"));
    return causes;
  });
}

export const INGRESS_STRATEGY: Strategy<Ingress> = {
  checksMetaAgain: true,
  prepareForCreate: (ingress) => {
    ingress.status = { loadBalancer: {} };
  },
  validate: (ingress) => [...checkSpec(ingress.spec ?? {}), ...checkClassAnnotation(ingress)],
  validateUpdate: ({ spec }) => checkSpec(spec ?? {}),
  validateStatusUpdate: checkStatus,
  warnings: ({ metadata, spec, status }, old) => [
    ...(!old && metadata.annotations?.[CLASS_ANNOTATION] !== undefined && spec?.ingressClassName === undefined
      ? [`annotation ${JSON.stringify(CLASS_ANNOTATION)} is deprecated, please use 'spec.ingressClassName' instead`]
      : []),
    ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) =>
      ip ? ipWarnings(ip, `status.loadBalancer.ingress[${i}].ip`) : [],
    ),
  ],
};
