import { invalidEach, invalidValue, notSupported, quote, required } from "../../../../shared/api/field-error.ts";
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegment,
  checkPortNumber,
  nameIsPathSegment,
} from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { APIService } from "../../../../shared/api/types.ts";
import { decodedLength } from "../core/config.ts";
import type { Strategy } from "../strategy.ts";

type Spec = NonNullable<APIService["spec"]>;

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;
const STATUSES = ["True", "False", "Unknown"];

function checkName(name: string, { group = "", version = "" }: Partial<Spec>): StatusCause[] {
  const wanted = `${version}.${group}`;
  if (name === wanted || checkPathSegment(name).length > 0) return [];
  return [invalidValue("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`)];
}

/** Upstream's texts say "less than" of numbers that may be equal. */
function checkPriorities({
  groupPriorityMinimum: group = 0,
  versionPriority: version = 0,
}: Partial<Spec>): StatusCause[] {
  const causes: StatusCause[] = [];
  if (group <= 0 || group > MAX_GROUP_PRIORITY) {
    const why = `must be positive and less than ${MAX_GROUP_PRIORITY}`;
    causes.push(invalidValue("spec.groupPriorityMinimum", group, why));
  }
  if (version <= 0 || version > MAX_VERSION_PRIORITY) {
    const why = `must be positive and less than ${MAX_VERSION_PRIORITY}`;
    causes.push(invalidValue("spec.versionPriority", version, why));
  }
  return causes;
}

/** Who serves it: a Service, or this server itself, which needs no certificate to talk to itself. */
function checkServer({
  service,
  caBundle = "",
  insecureSkipTLSVerify: insecure = false,
}: Partial<Spec>): StatusCause[] {
  const causes: StatusCause[] = [];
  if (!service) {
    if (caBundle !== "") {
      const size = `${decodedLength(caBundle)} bytes`;
      causes.push(invalidValue("spec.caBundle", size, "local APIServices may not have a caBundle"));
    }
    if (insecure) {
      const why = "local APIServices may not have insecureSkipTLSVerify";
      causes.push(invalidValue("spec.insecureSkipTLSVerify", insecure, why));
    }
    return causes;
  }
  const { namespace = "", name = "", port = 0 } = service;
  if (namespace === "") causes.push(required("spec.service.namespace"));
  if (name === "") causes.push(required("spec.service.name"));
  const messages = checkPortNumber(port);
  if (messages.length > 0)
    causes.push(invalidValue("spec.service.port", port, `port is not valid: ${messages.join(", ")}`));
  if (insecure && caBundle !== "") {
    causes.push(invalidValue("spec.insecureSkipTLSVerify", insecure, "may not be true if caBundle is present"));
  }
  return causes;
}

function checkApiService({ metadata, spec = {} as Spec }: APIService): StatusCause[] {
  const { group = "", version = "" } = spec;
  const causes = checkName(metadata.name, spec);
  if (group !== "") causes.push(...invalidEach("spec.group", group, checkDns1123Subdomain(group)));
  else if (version !== "v1") {
    causes.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  }
  return [
    ...causes,
    ...invalidEach("spec.version", version, checkDns1035Label(version)),
    ...checkPriorities(spec),
    ...checkServer(spec),
  ];
}

export const API_SERVICE_STRATEGY: Strategy<APIService> = {
  requiresResourceVersion: true,
  nameRule: nameIsPathSegment,
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  prepareForCreate: (apiService) => {
    const { metadata, spec } = apiService;
    apiService.status = {};
    if (spec?.service) return;
    apiService.status.conditions = [
      {
        type: "Available",
        status: "True",
        lastTransitionTime: metadata.creationTimestamp,
        reason: "Local",
        message: "Local APIServices are always available",
      },
    ];
  },
  validate: checkApiService,
  validateStatusUpdate: ({ status }) =>
    (status?.conditions ?? []).flatMap(({ status: value = "" }, i) =>
      STATUSES.includes(value) ? [] : [notSupported(`status.conditions[${i}].status`, value, STATUSES)],
    ),
};
