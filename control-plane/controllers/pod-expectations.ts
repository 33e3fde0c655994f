import type { KubeObject } from "../../shared/api/object.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { Pod } from "../../shared/api/types.ts";
import { type Expectations, type InformerEvent, keyOf } from "../runtime/index.ts";
import { isNamespaceTerminating, type PodControl } from "./pod-control.ts";
import { slowStart } from "./slow-start.ts";

/** Counts a change of an owner's pod against what the owner waits to see: one that is being deleted counts as gone. */
export function observePod(event: InformerEvent<Pod>, owner: string, expectations: Expectations): void {
  const pod = event.object;
  if (event.type === "deleted" || pod.metadata.deletionTimestamp) expectations.deletionObserved(owner, keyOf(pod));
  else if (event.type === "added") expectations.creationObserved(owner);
}

interface Deps {
  expectations: Expectations;
  podControl: PodControl;
}

/**
 * Creates pods that are already expected, a few at first; what is not tried after a refusal is expected no more.
 * @param podOf makes the next one
 * @returns the first error; that the namespace is going away is none
 */
export async function createExpectedPods(
  owner: KubeObject,
  { count, podOf }: { count: number; podOf: () => Pod },
  { expectations, podControl }: Deps,
): Promise<unknown> {
  const { done, error } = await slowStart(count, async () => {
    try {
      await podControl.create(podOf(), owner);
    } catch (failure) {
      if (!isNamespaceTerminating(failure)) throw failure;
    }
  });
  for (let i = done; i < count; i++) expectations.creationObserved(keyOf(owner));
  return error;
}

/**
 * Deletes pods whose deletion is already expected, all at once.
 * @returns the first error; that a pod is gone is none
 */
export async function removeExpectedPods(
  owner: KubeObject,
  victims: Pod[],
  { expectations, podControl }: Deps,
): Promise<unknown> {
  let firstError: unknown;
  await Promise.all(
    victims.map(async (pod) => {
      try {
        await podControl.remove(pod, owner);
      } catch (error) {
        expectations.deletionObserved(keyOf(owner), keyOf(pod));
        if (!isNotFound(error)) firstError ??= error;
      }
    }),
  );
  return firstError;
}
