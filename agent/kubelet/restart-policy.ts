import type { Container, Pod, PodSpec } from "../api/index.ts";
import { findContainer, type ObservedPod } from "./observed.ts";

/** A sidecar: an init container that is kept running. Such a policy in `containers` makes no sidecar. */
export const isSidecar = (initContainer: Container) => initContainer.restartPolicy === "Always";

/**
 * Whether a container that ended with this code is started again.
 * @see KEP-5307: the container's rules come first, then its own policy, then the pod's
 */
export function restartsAfterExit(container: Container, spec: PodSpec, exitCode: number): boolean {
  const action = matchingAction(container, exitCode);
  if (action === "Restart" || action === RESTART_ALL) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

const RESTART_ALL = "RestartAllContainers";

/** What the first of the container's rules that fits says. */
function matchingAction({ restartPolicyRules }: Container, exitCode: number): string | undefined {
  return restartPolicyRules?.find(({ exitCodes }) => {
    if (!exitCodes) return false;
    const listed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === "In" ? listed : exitCodes.operator === "NotIn" ? !listed : false;
  })?.action;
}

const allContainers = ({ initContainers = [], containers }: PodSpec) => [...initContainers, ...containers];

/** Whether a container of the pod may ask for all to be started anew (KEP-5532). */
export const couldRestartAll = (spec: PodSpec): boolean =>
  allContainers(spec).some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === RESTART_ALL),
  );

/** Whether a container has ended in such a way. */
export function asksToRestartAll({ spec }: Pod, observed: ObservedPod): boolean {
  return allContainers(spec).some((container) => {
    const instance = findContainer(observed, container.name);
    return instance?.state === "exited" && matchingAction(container, instance.exitCode) === RESTART_ALL;
  });
}

/** Whether the container has to be started, given its newest instance. */
export function shouldBeStarted(container: Container, pod: Pod, observed: ObservedPod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  const instance = findContainer(observed, container.name);
  if (!instance) return true;
  if (instance.state === "running") return false;
  if (instance.state !== "exited") return true;
  return restartsAfterExit(container, pod.spec, instance.exitCode);
}
