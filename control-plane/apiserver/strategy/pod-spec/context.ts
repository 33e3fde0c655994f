import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, EphemeralContainer, PodSpec, Volume } from "../../../../shared/api/types.ts";

/** What the checks of one pod spec share. Each check adds to `causes`, in upstream's order. */
export interface PodCheck {
  causes: StatusCause[];
  spec: PodSpec;
  /** A pod, not a template: an image and all host ports must be complete. */
  isPod: boolean;
  /** Names the claims of ephemeral volumes; a template has none. */
  podName?: string;
  annotations?: Record<string, string>;
  /** The volumes that are valid in themselves. */
  volumes: Map<string, Volume>;
  claimNames: Set<string>;
  /** The pod shares the node's user namespace (the default). */
  hostUsers: boolean;
  /**
   * What the stored object already has is let through on updates: values that a later rule forbids, so that old objects
   * can still be changed.
   */
  tolerate: { labelValuesInSelectors?: boolean };
}

export interface VisitedContainer {
  container: Container | EphemeralContainer;
  path: string;
}

/** Every container with its path: init containers first, then containers, then ephemeral ones. */
export function* visitContainers(spec: PodSpec, path: string): Generator<VisitedContainer> {
  const lists = [
    ["initContainers", spec.initContainers],
    ["containers", spec.containers],
    ["ephemeralContainers", spec.ephemeralContainers],
  ] as const;
  for (const [name, list] of lists) {
    for (const [index, container] of (list ?? []).entries()) yield { container, path: `${path}.${name}[${index}]` };
  }
}
