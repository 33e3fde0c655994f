import type { Container, Pod } from "../api/index.ts";
import { AdmissionError } from "./admission-error.ts";
import type { Hint, Hints } from "./hint.ts";
import { mergeHints, type NumaMachine, type TopologyPolicy } from "./merge.ts";

/** One that gives something out: CPUs, memory. All of them keep what they gave in one state, each its own part. */
export interface Provider<State> {
  /** Where it could give the container what that asks for; undefined: it does not care. */
  containerHints(pod: Pod, container: Container, state: State): Hints | undefined;
  podHints(pod: Pod, state: State): Hints | undefined;
  /**
   * Gives it out, where the hint says if it can. What a container has, it keeps.
   * @throws AdmissionError, or Error for what upstream does not expect
   */
  allocate(pod: Pod, container: Container, hint: Hint, state: State): State;
}

export interface Alignment {
  policy: TopologyPolicy;
  /** Whether each container has its own nodes, or all of a pod the same. */
  scope: "container" | "pod";
  machine: NumaMachine;
}

/** What is given out where nobody looks at nodes. */
const NO_HINT: Hint = { nodes: undefined, preferred: false };

/**
 * Gives a pod's containers, in the order of their start, what they are to have for themselves.
 * @returns the state after it
 * @throws AdmissionError when it cannot be had together, or at all
 */
export function alignPod<State>(
  pod: Pod,
  providers: readonly Provider<State>[],
  before: State,
  { policy, scope, machine }: Alignment,
): State {
  const decide = (hints: (Hints | undefined)[]): Hint => {
    if (policy === "none") return NO_HINT;
    const { hint, admitted } = mergeHints(hints, policy, machine);
    if (admitted) return hint;
    throw new AdmissionError("TopologyAffinityError", "Resources cannot be allocated with Topology locality");
  };
  let state = before;
  const ofPod = scope === "pod" ? decide(providers.map((provider) => provider.podHints(pod, before))) : undefined;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const hint = ofPod ?? decide(providers.map((provider) => provider.containerHints(pod, container, state)));
    for (const provider of providers) state = provider.allocate(pod, container, hint, state);
  }
  return state;
}
