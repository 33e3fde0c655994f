import { invalidEach, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import {
  checkConfigMapKey,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
  checkRelaxedEnvVarName,
  nameIsSubdomain,
} from "../../../../shared/api/names.ts";
import { compareQuantities, parseQuantity, printQuantity, ZERO_QUANTITY } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  EnvFromSource,
  EnvVar,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "../../../../shared/api/types.ts";
import { checkNoBacksteps } from "./paths.ts";

const ENV_FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
export const VOLUME_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
/** Field labels the downward API knows at all. */
const KNOWN_FIELDS = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);
const RESOURCE_FIELDS = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const SUBSCRIPTED = /^(.+)\['(.*)'\]$/s;

/** A field of the pod itself; `supported` are the fields that this place may use. */
export function checkFieldRef(ref: ObjectFieldSelector, supported: string[], path: string): StatusCause[] {
  if (!ref.apiVersion) return [required(`${path}.apiVersion`)];
  if (!ref.fieldPath) return [required(`${path}.fieldPath`)];
  const refuse = (why: string) => [
    invalidValue(`${path}.fieldPath`, ref.fieldPath, `error converting fieldPath: ${why}`),
  ];
  if (ref.apiVersion !== "v1") return refuse(`unsupported pod version: ${ref.apiVersion}`);
  const subscripted = SUBSCRIPTED.exec(ref.fieldPath);
  if (subscripted) {
    const [, base = "", key = ""] = subscripted;
    if (base === "metadata.annotations")
      return invalidEach(path, key.toLowerCase(), checkQualifiedName(key.toLowerCase()));
    if (base === "metadata.labels") return invalidEach(path, key, checkQualifiedName(key));
    return refuse(`field label does not support subscript: ${ref.fieldPath}`);
  }
  if (ref.fieldPath !== "spec.host" && !KNOWN_FIELDS.has(ref.fieldPath)) {
    return refuse(`field label not supported: ${ref.fieldPath}`);
  }
  const field = ref.fieldPath === "spec.host" ? "spec.nodeName" : ref.fieldPath;
  return supported.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, supported)];
}

const BYTE_DIVISORS = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

function checkDivisor(resource: string, divisorText: string | undefined, path: string): StatusCause[] {
  const divisor = parseQuantity(divisorText ?? "0");
  if (compareQuantities(divisor, ZERO_QUANTITY) === 0) return [];
  const printed = printQuantity(divisor);
  const refuse = (values: string, what: string) => [
    invalidValue(
      `${path}.divisor`,
      resource,
      `only divisor's values ${values} are supported with the ${what} resource`,
    ),
  ];
  const [, kind = ""] = /^(?:limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-)/.exec(resource) ?? [];
  if (kind === "") return [];
  if (kind === "cpu") return ["1m", "1"].includes(printed) ? [] : refuse("1m and 1", "cpu");
  if (BYTE_DIVISORS.split(", ").includes(printed)) return [];
  const what = kind === "ephemeral-storage" ? "local ephemeral storage" : kind === "hugepages-" ? "hugepages" : kind;
  return refuse(BYTE_DIVISORS, what);
}

/** Limits or requests of a container. In a volume the container must be named. */
export function checkResourceFieldRef(ref: ResourceFieldSelector, path: string, inVolume: boolean): StatusCause[] {
  const causes: StatusCause[] = [];
  const resource = ref.resource ?? "";
  if (inVolume && !ref.containerName) causes.push(required(`${path}.containerName`));
  else if (resource === "") causes.push(required(`${path}.resource`));
  else if (!RESOURCE_FIELDS.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource)) {
    causes.push(notSupported(`${path}.resource`, resource, RESOURCE_FIELDS));
  }
  return [...causes, ...checkDivisor(resource, ref.divisor, path)];
}

function checkKeyRef(ref: { name?: string; key?: string }, path: string): StatusCause[] {
  const name = ref.name ?? "";
  const causes = invalidEach(`${path}.name`, name, checkDns1123Subdomain(name));
  if (!ref.key) causes.push(required(`${path}.key`));
  else causes.push(...invalidEach(`${path}.key`, ref.key, checkConfigMapKey(ref.key)));
  return causes;
}

function checkValueFrom({ value, valueFrom }: EnvVar, path: string): StatusCause[] {
  if (!valueFrom) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const causes: StatusCause[] = [];
  let count = 0;
  if (fieldRef) {
    count++;
    causes.push(...checkFieldRef(fieldRef, ENV_FIELDS, `${path}.fieldRef`));
  }
  if (resourceFieldRef) {
    count++;
    causes.push(...checkResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, false));
  }
  if (configMapKeyRef) {
    count++;
    causes.push(...checkKeyRef(configMapKeyRef, `${path}.configMapKeyRef`));
  }
  if (secretKeyRef) {
    count++;
    causes.push(...checkKeyRef(secretKeyRef, `${path}.secretKeyRef`));
  }
  if (fileKeyRef) {
    count++;
    const field = `${path}.fileKeyRef`;
    const { key, volumeName, path: file } = fileKeyRef;
    if (!key) causes.push(required(`${field}.key`));
    else causes.push(...invalidEach(`${field}.key`, key, checkRelaxedEnvVarName(key)));
    if (!volumeName) causes.push(required(`${field}.volumeName`));
    else causes.push(...invalidEach(`${field}.volumeName`, volumeName, checkDns1123Label(volumeName)));
    if (!file) causes.push(required(`${field}.path`));
    else causes.push(...checkNoBacksteps(file, `${field}.path`));
  }
  if (count === 0) {
    causes.push(
      invalidValue(
        path,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  } else if (value) causes.push(invalidValue(path, "", "may not be specified when `value` is not empty"));
  else if (count > 1) causes.push(invalidValue(path, "", "may not have more than one field specified at a time"));
  return causes;
}

export function checkEnv(variables: EnvVar[] | undefined, path: string): StatusCause[] {
  return (variables ?? []).flatMap((variable, index) => {
    const field = `${path}[${index}]`;
    const name = variable.name
      ? invalidEach(`${field}.name`, variable.name, checkRelaxedEnvVarName(variable.name))
      : [required(`${field}.name`)];
    return [...name, ...checkValueFrom(variable, `${field}.valueFrom`)];
  });
}

/** References here are checked as prefixes: upstream lets a trailing dash through. */
function checkEnvSource(source: { name?: string }, path: string): StatusCause[] {
  return source.name
    ? invalidEach(`${path}.name`, source.name, nameIsSubdomain(source.name, true))
    : [required(`${path}.name`)];
}

export function checkEnvFrom(sources: EnvFromSource[] | undefined, path: string): StatusCause[] {
  return (sources ?? []).flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const field = `${path}[${index}]`;
    const causes = prefix ? invalidEach(`${field}.prefix`, prefix, checkRelaxedEnvVarName(prefix)) : [];
    if (configMapRef) causes.push(...checkEnvSource(configMapRef, `${field}.configMapRef`));
    if (secretRef) causes.push(...checkEnvSource(secretRef, `${field}.secretRef`));
    if (!configMapRef && !secretRef) {
      causes.push(invalidValue(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef && secretRef) {
      causes.push(invalidValue(path, "", "may not have more than one field specified at a time"));
    }
    return causes;
  });
}
