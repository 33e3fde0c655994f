import {
  duplicate,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooMany,
  valueNotFound,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkPortName, checkPortNumber } from "../../../../shared/api/names.ts";
import { isSidecar } from "../../../../shared/api/pod-requests.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
} from "../../../../shared/api/types.ts";
import type { PodCheck } from "./context.ts";
import { checkEnv, checkEnvFrom } from "./env.ts";
import { checkDevices, checkMounts } from "./mounts.ts";
import { checkLifecycle, checkProbes } from "./probes.ts";
import { checkResourceRequirements } from "./resources.ts";
import { checkSecurityContext } from "./security-context.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];

export function checkPullPolicy(policy: string | undefined, field: string): StatusCause[] {
  if (!policy) return [required(field)];
  return PULL_POLICIES.includes(policy) ? [] : [notSupported(field, policy, PULL_POLICIES)];
}

function checkPorts(ports: ContainerPort[], path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const names = new Set<string>();
  for (const [index, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const field = `${path}[${index}]`;
    if (name) {
      const messages = checkPortName(name);
      causes.push(...invalidEach(`${field}.name`, name, messages));
      if (messages.length === 0 && names.has(name)) causes.push(duplicate(`${field}.name`, name));
      else if (messages.length === 0) names.add(name);
    }
    if (!containerPort) causes.push(required(`${field}.containerPort`));
    else causes.push(...invalidEach(`${field}.containerPort`, containerPort, checkPortNumber(containerPort)));
    if (hostPort) causes.push(...invalidEach(`${field}.hostPort`, hostPort, checkPortNumber(hostPort)));
    if (!protocol) causes.push(required(`${field}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) causes.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  }
  return causes;
}

/** No two containers may ask for one port of the host. */
function checkHostPorts(containers: Container[], path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, { hostPort, hostIP = "", protocol }] of (container.ports ?? []).entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) causes.push(duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key));
      taken.add(key);
    }
  }
  return causes;
}

const RESIZE_RESOURCES = ["cpu", "memory"];
const RESIZE_POLICIES = ["NotRequired", "RestartContainer"];

function checkResizePolicy(
  policies: ContainerResizePolicy[],
  podRestart: string | undefined,
  field: string,
): StatusCause[] {
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [index, { resourceName = "", restartPolicy = "" }] of policies.entries()) {
    if (seen.has(resourceName)) causes.push(duplicate(`${field}[${index}]`, resourceName));
    seen.add(resourceName);
    const oneOf = (value: string, supported: string[]) => {
      if (value === "") causes.push(required(field));
      else if (!supported.includes(value)) causes.push(notSupported(field, value, supported));
    };
    oneOf(resourceName, RESIZE_RESOURCES);
    oneOf(restartPolicy, RESIZE_POLICIES);
    if (podRestart === "Never" && restartPolicy !== "NotRequired") {
      causes.push(invalidValue(field, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
  return causes;
}

function checkCommon(check: PodCheck, container: Container | EphemeralContainer, path: string): void {
  const { causes, spec } = check;
  if (!container.name) causes.push(required(`${path}.name`));
  else causes.push(...invalidEach(`${path}.name`, container.name, checkDns1123Label(container.name)));
  if (!container.image) causes.push(required(`${path}.image`));
  const messages = container.terminationMessagePolicy;
  if (!messages) causes.push(required(`${path}.terminationMessagePolicy`));
  else if (messages !== "File" && messages !== "FallbackToLogsOnError") {
    causes.push(notSupported(`${path}.terminationMessagePolicy`, messages, ["File", "FallbackToLogsOnError"]));
  }
  causes.push(
    ...checkPorts(container.ports ?? [], `${path}.ports`),
    ...checkEnv(container.env, `${path}.env`),
    ...checkEnvFrom(container.envFrom, `${path}.envFrom`),
  );
  checkMounts(check, container, path);
  checkDevices(check, container, path);
  causes.push(...checkPullPolicy(container.imagePullPolicy, `${path}.imagePullPolicy`));
  checkResourceRequirements(check, container.resources, `${path}.resources`);
  causes.push(...checkResizePolicy(container.resizePolicy ?? [], spec.restartPolicy, `${path}.resizePolicy`));
  checkSecurityContext(check, container.securityContext, `${path}.securityContext`);
}

const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const MAX_RESTART_RULES = 20;
const MAX_EXIT_CODES = 255;

function checkRestartRules(rules: ContainerRestartRule[], path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (rules.length > MAX_RESTART_RULES) causes.push(tooMany(path, rules.length, MAX_RESTART_RULES));
  for (const [index, { action = "", exitCodes }] of rules.entries()) {
    const field = `${path}[${index}]`;
    if (!["Restart", "RestartAllContainers"].includes(action)) {
      causes.push(notSupported(`${field}.action`, action, ["Restart", "RestartAllContainers"]));
    }
    if (!exitCodes) {
      causes.push(required(`${field}.exitCodes`, "must be specified"));
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    if (!["In", "NotIn"].includes(operator)) {
      causes.push(notSupported(`${field}.exitCodes.operator`, operator, ["In", "NotIn"]));
    }
    if (values.length > MAX_EXIT_CODES) {
      causes.push(tooMany(`${field}.exitCodes.values`, values.length, MAX_EXIT_CODES));
    }
  }
  return causes;
}

const NO_RESTART_POLICY = "must specify restartPolicy when restart rules are used";

function checkRestartPolicy({ restartPolicy, restartPolicyRules = [] }: Container, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (restartPolicy === undefined) {
    if (restartPolicyRules.length > 0) causes.push(required(`${path}.restartPolicy`, NO_RESTART_POLICY));
  } else if (!RESTART_POLICIES.includes(restartPolicy)) {
    causes.push(notSupported(`${path}.restartPolicy`, restartPolicy, RESTART_POLICIES));
  }
  return [...causes, ...checkRestartRules(restartPolicyRules, `${path}.restartPolicyRules`)];
}

/** The rules of an init container without a policy are not looked at. */
function checkInitRestartPolicy(container: Container, path: string): StatusCause[] {
  if (container.restartPolicy !== undefined) return checkRestartPolicy(container, path);
  return container.restartPolicyRules?.length ? [required(`${path}.restartPolicy`, NO_RESTART_POLICY)] : [];
}

export function checkContainers(check: PodCheck, path: string): void {
  const { causes, spec } = check;
  const containers = spec.containers ?? [];
  if (containers.length === 0) {
    causes.push(required(path));
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const field = `${path}[${index}]`;
    checkCommon(check, container, field);
    if (names.has(container.name)) causes.push(duplicate(`${field}.name`, container.name));
    names.add(container.name);
    if (container.lifecycle) checkLifecycle(check, container.lifecycle, `${field}.lifecycle`);
    checkProbes(check, container, field);
    causes.push(...checkRestartPolicy(container, field));
  }
  causes.push(...checkHostPorts(containers, path));
}

const ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always";

export function checkInitContainers(check: PodCheck, path: string): void {
  const { causes, spec } = check;
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const field = `${path}[${index}]`;
    checkCommon(check, container, field);
    causes.push(...checkInitRestartPolicy(container, field));
    if (names.has(container.name)) causes.push(duplicate(`${field}.name`, container.name));
    else if (container.name) names.add(container.name);
    causes.push(...checkHostPorts([container], path));
    if (isSidecar(container)) {
      if (container.lifecycle) checkLifecycle(check, container.lifecycle, `${field}.lifecycle`);
      checkProbes(check, container, field);
      continue;
    }
    for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (container[name]) causes.push(fieldForbidden(`${field}.${name}`, ONLY_SIDECARS));
    }
    for (const [policyIndex, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
      if (restartPolicy !== "RestartContainer") continue;
      causes.push(
        invalidValue(
          `${field}.resizePolicy[${policyIndex}].restartPolicy`,
          restartPolicy,
          "must not be set to 'RestartContainer' for non-sidecar initContainers",
        ),
      );
    }
  }
}

const NOT_EPHEMERAL = "cannot be set for an Ephemeral Container";
const NOT_EPHEMERAL_FIELDS = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

const isSet = (value: unknown) =>
  value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);

export function checkEphemeralContainers(check: PodCheck, path: string): void {
  const { causes, spec } = check;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  for (const [index, container] of (spec.ephemeralContainers ?? []).entries()) {
    const field = `${path}[${index}]`;
    checkCommon(check, container, field);
    causes.push(...checkImageSpaces(container, field));
    if (names.has(container.name)) causes.push(duplicate(`${field}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) causes.push(valueNotFound(`${field}.targetContainerName`, target));
    for (const name of NOT_EPHEMERAL_FIELDS) {
      if (isSet(container[name])) causes.push(fieldForbidden(`${field}.${name}`, NOT_EPHEMERAL));
    }
    for (const [mountIndex, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      const mount = `${field}.volumeMounts[${mountIndex}]`;
      if (subPath) causes.push(fieldForbidden(`${mount}.subPath`, NOT_EPHEMERAL));
      if (subPathExpr) causes.push(fieldForbidden(`${mount}.subPathExpr`, NOT_EPHEMERAL));
    }
  }
}

/** Pods only: a template is let through, its pods are not. */
export function checkImageSpaces({ image = "" }: { image?: string }, path: string): StatusCause[] {
  return image.trim() === image
    ? []
    : [invalidValue(`${path}.image`, image, "must not have leading or trailing whitespace")];
}
