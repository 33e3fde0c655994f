import { FIELD_IMMUTABLE, fieldForbidden, invalidEach, invalidValue } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import { isSidecar } from "../../../../shared/api/pod-requests.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, ContainerStatus, Pod } from "../../../../shared/api/types.ts";
import { checkLegacyIp, isDualStack } from "../ip-rules.ts";
import { checkPodAnnotations, checkPodAnnotationsUpdate } from "../pod-spec/index.ts";

/** Whether a container that ended with this code may run again. */
function mayRestart(container: Container | undefined, pod: Pod, exitCode: number): boolean {
  if (!container) return false;
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    const matches = exitCodes?.operator === "In" ? listed : exitCodes?.operator === "NotIn" ? !listed : false;
    if (matches && (action === "Restart" || action === "RestartAllContainers")) return true;
  }
  const policy = container.restartPolicy ?? pod.spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

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

export function validatePodStatusUpdate(pod: Pod, old: Pod): StatusCause[] {
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  const { annotations } = pod.metadata;
  const causes = [
    ...checkPodAnnotationsUpdate(annotations, old.metadata.annotations),
    ...checkPodAnnotations(annotations, pod.spec, "metadata.annotations"),
  ];
  for (const [index, { type, observedGeneration = 0 }] of (status.conditions ?? []).entries()) {
    // Upstream's own conditions only: others may put there what they like.
    if (observedGeneration < 0 && /^(PodScheduled|Ready|Initialized|ContainersReady)$/.test(type)) {
      causes.push(
        invalidValue(
          `status.conditions[${index}].observedGeneration`,
          observedGeneration,
          "must be a non-negative integer",
        ),
      );
    }
  }
  const nominated = status.nominatedNodeName;
  if (nominated && nominated !== oldStatus.nominatedNodeName) {
    causes.push(...invalidEach("status.nominatedNodeName", nominated, checkDns1123Subdomain(nominated)));
    if (old.spec.nodeName) {
      causes.push(
        fieldForbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"),
      );
    }
  }
  if ((status.observedGeneration ?? 0) < 0) {
    causes.push(invalidValue("status.observedGeneration", status.observedGeneration, "must be a non-negative integer"));
  }
  if ((status.qosClass ?? "") !== (oldStatus.qosClass ?? "")) {
    causes.push(invalidValue("status.qosClass", status.qosClass ?? "", FIELD_IMMUTABLE));
  }
  const allowed = (list: Container[] | undefined) => (name: string, exitCode: number) => {
    const container = list?.find((other) => other.name === name);
    return (
      mayRestart(container, pod, exitCode) || (!!container && list === pod.spec.initContainers && isSidecar(container))
    );
  };
  causes.push(
    ...checkTransitions(
      status.containerStatuses,
      oldStatus.containerStatuses,
      "status.containerStatuses",
      allowed(pod.spec.containers),
    ),
    ...checkTransitions(
      status.initContainerStatuses,
      oldStatus.initContainerStatuses,
      "status.initContainerStatuses",
      allowed(pod.spec.initContainers),
    ),
    ...checkTransitions(
      status.ephemeralContainerStatuses,
      oldStatus.ephemeralContainerStatuses,
      "status.ephemeralContainerStatuses",
      () => false,
    ),
    ...checkIps(status.podIPs, oldStatus.podIPs, "status.podIPs"),
  );
  const firstHost = status.hostIPs?.[0]?.ip;
  if (firstHost !== undefined && firstHost !== (status.hostIP ?? "")) {
    causes.push(invalidValue("status.hostIPs[0].ip", firstHost, "must be equal to `hostIP`"));
  }
  causes.push(...checkIps(status.hostIPs, oldStatus.hostIPs, "status.hostIPs"));
  return causes;
}
