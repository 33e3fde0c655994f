import { FIELD_IMMUTABLE, fieldForbidden, invalidEach, invalidValue } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, ContainerStatus, Pod, PodCondition } from "../../../../shared/api/types.ts";
import { checkLegacyIp, ipWarnings, isDualStack } from "../ip-rules.ts";
import { checkPodAnnotations, checkPodAnnotationsUpdate } from "../pod-spec/index.ts";
import { checkClaimStatuses, checkExtendedClaim } from "./pod-claim-status.ts";
import { checkContainerStatuses } from "./pod-container-status.ts";

/** Whether a container that ended with this code may run again (KEP-5307, KEP-5532). */
function mayRestart({ restartPolicy, restartPolicyRules = [] }: Container, pod: Pod, exitCode: number): boolean {
  const rule = restartPolicyRules.find(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === "In" ? isListed : exitCodes?.operator === "NotIn" && !isListed;
  });
  if (restartPolicy !== undefined && /^Restart(AllContainers)?$/.test(rule?.action ?? "")) return true;
  const policy = restartPolicy ?? pod.spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

const restartsAll = ({ spec }: Pod): boolean =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );

/** A container that has ended for good stays so. */
function checkTransitions(
  now: ContainerStatus[] = [],
  before: ContainerStatus[] = [],
  path: string,
  isAllowed: (name: string, exitCode: number) => boolean,
): StatusCause[] {
  return before.flatMap(({ name, state }, index) => {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined) return [];
    const status = now.find((other) => other.name === name);
    if (!status || status.state?.terminated || isAllowed(name, exitCode)) return [];
    return [fieldForbidden(`${path}[${index}].state`, "may not be transitioned to non-terminated state")];
  });
}

function checkIps(now: { ip?: string }[] = [], before: { ip?: string }[] = [], path: string): StatusCause[] {
  const known = before.map(({ ip }) => ip ?? "");
  const addresses = now.map(({ ip }) => ip ?? "");
  const causes = addresses.flatMap((ip, index) => checkLegacyIp(ip, `${path}[${index}]`, known));
  if (addresses.length > 1 && !isDualStack(addresses)) {
    causes.push(
      invalidValue(
        path,
        addresses.map((IP) => ({ IP })),
        "may specify no more than one IP for each IP family",
      ),
    );
  }
  return causes;
}

const SYSTEM_CONDITIONS = new Set(["PodScheduled", "Ready", "Initialized"]);

function checkConditions(conditions: PodCondition[] = []): StatusCause[] {
  return conditions.flatMap(({ type, observedGeneration = 0 }, index) => {
    const field = `status.conditions[${index}]`;
    return [
      ...checkGeneration(observedGeneration, `${field}.observedGeneration`),
      // Upstream writes the field with a capital.
      ...(SYSTEM_CONDITIONS.has(type) ? [] : invalidEach(`${field}.Type`, type, checkQualifiedName(type))),
    ];
  });
}

const checkGeneration = (generation: number, field: string): StatusCause[] =>
  generation < 0 ? [invalidValue(field, generation, "must be a non-negative integer")] : [];

export function validatePodStatusUpdate(pod: Pod, old: Pod): StatusCause[] {
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  const { annotations } = pod.metadata;
  const causes = [
    ...checkPodAnnotationsUpdate(annotations, old.metadata.annotations),
    ...checkPodAnnotations(annotations, pod.spec, "metadata.annotations"),
    ...checkConditions(status.conditions),
  ];
  const nominated = status.nominatedNodeName;
  if (nominated && nominated !== oldStatus.nominatedNodeName) {
    causes.push(...invalidEach("status.nominatedNodeName", nominated, checkDns1123Subdomain(nominated)));
    if (old.spec.nodeName) {
      causes.push(
        fieldForbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"),
      );
    }
  }
  causes.push(...checkGeneration(status.observedGeneration ?? 0, "status.observedGeneration"));
  if ((status.qosClass ?? "") !== (oldStatus.qosClass ?? "")) {
    causes.push(invalidValue("status.qosClass", status.qosClass ?? "", FIELD_IMMUTABLE));
  }
  const allowed = (list: Container[] | undefined) => (name: string, exitCode: number) => {
    const container = list?.find((other) => other.name === name);
    return restartsAll(pod) || (container !== undefined && mayRestart(container, pod, exitCode));
  };
  for (const [list, isAllowed] of [
    ["containerStatuses", allowed(pod.spec.containers)],
    ["initContainerStatuses", allowed(pod.spec.initContainers)],
    ["ephemeralContainerStatuses", () => false],
  ] as const) {
    causes.push(...checkTransitions(status[list], oldStatus[list], `status.${list}`, isAllowed));
  }
  causes.push(
    ...checkClaimStatuses(status.resourceClaimStatuses, pod.spec.resourceClaims),
    ...checkExtendedClaim(status.extendedResourceClaimStatus, pod.spec),
    ...checkIps(status.podIPs, oldStatus.podIPs, "status.podIPs"),
  );
  const firstHost = status.hostIPs?.[0]?.ip;
  if (firstHost !== undefined && firstHost !== (status.hostIP ?? "")) {
    causes.push(invalidValue("status.hostIPs[0].ip", firstHost, "must be equal to `hostIP`"));
  }
  causes.push(...checkIps(status.hostIPs, oldStatus.hostIPs, "status.hostIPs"));
  return [...causes, ...checkContainerStatuses(pod)];
}

/** Addresses that are right, and not written as they should be. */
export function podStatusWarnings({ status }: Pod): string[] {
  return (["podIPs", "hostIPs"] as const).flatMap((list) =>
    (status?.[list] ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `status.${list}[${index}].ip`)),
  );
}
