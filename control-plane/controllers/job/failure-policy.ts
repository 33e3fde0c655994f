import type {
  Pod,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../../shared/api/types.ts";

export interface FailureVerdict {
  /** Counts towards backoffLimit. */
  isCounted: boolean;
  /** The rule says FailIndex. */
  failsIndex: boolean;
  /** The rule says FailJob: why the Job fails. */
  failJobMessage?: string;
}

const COUNTED: FailureVerdict = { isCounted: true, failsIndex: false };

/** What the first matching rule says of a failed pod; without one it counts (JOB-10, JOB-11). */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [i, rule] of (policy?.rules ?? []).entries()) {
    const what = describeMatch(rule, pod);
    if (what === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return { isCounted: false, failsIndex: false };
      case "FailIndex":
        return { isCounted: true, failsIndex: true };
      case "Count":
        return COUNTED;
      case "FailJob":
        return { ...COUNTED, failJobMessage: `${what} matching ${rule.action} rule at index ${i}` };
    }
  }
  return COUNTED;
}

/** How the rule matches, as the Job's condition tells it. */
function describeMatch({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { metadata, status } = pod;
  const podName = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes) {
    const container =
      failedContainer(status?.containerStatuses, onExitCodes) ??
      failedContainer(status?.initContainerStatuses, onExitCodes);
    return container && `Container ${container.name} for pod ${podName} failed with exit code ${container.exitCode}`;
  }
  const condition = status?.conditions?.find((has) =>
    onPodConditions?.some((wanted) => has.type === wanted.type && has.status === wanted.status),
  );
  return condition && `Pod ${podName} has condition ${condition.type}`;
}

type ContainerStatuses = NonNullable<Pod["status"]>["containerStatuses"];

function failedContainer(
  statuses: ContainerStatuses,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): { name: string; exitCode: number } | undefined {
  for (const { name, state } of statuses ?? []) {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (operator === "In" ? values.includes(exitCode) : operator === "NotIn" && !values.includes(exitCode))
      return { name, exitCode };
  }
  return undefined;
}
