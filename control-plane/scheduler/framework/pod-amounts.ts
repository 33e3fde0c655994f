import { effectiveRequests, parseAmounts, type ResourceAmounts } from "../../../shared/api/pod-requests.ts";
import { milliUnits, wholeUnits } from "../../../shared/api/quantity.ts";
import type { Container, Node, Pod, PodSpec } from "../../../shared/api/types.ts";
import { type Amounts, noAmounts } from "./amounts.ts";

export interface PodAmounts {
  /** What the pod reserves (SCH-16). */
  requests: Amounts;
  /** The same with 100m and 200Mi for each container that names no cpu or memory (SCH-08). */
  nonZeroRequests: Amounts;
}

const SMALLEST = { cpu: "100m", memory: "200Mi" };

export function podAmounts({ spec = { containers: [] } }: Pod): PodAmounts {
  return {
    requests: wholeAmounts(effectiveRequests(spec)),
    nonZeroRequests: wholeAmounts(effectiveRequests(withSmallestRequests(spec))),
  };
}

function withSmallestRequests(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: (spec.containers ?? []).map(withSmallest),
    initContainers: spec.initContainers?.map(withSmallest),
  };
}

function withSmallest(container: Container): Container {
  const { resources } = container;
  return { ...container, resources: { ...resources, requests: { ...SMALLEST, ...resources?.requests } } };
}

/** What a node has for pods, and how many of them it takes. */
export function allocatableOf({ status }: Node): Amounts & { pods: number } {
  const { scalars, ...rest } = wholeAmounts(parseAmounts(status?.allocatable));
  const { pods = 0, ...others } = scalars;
  return { ...rest, pods, scalars: others };
}

function wholeAmounts(amounts: ResourceAmounts): Amounts {
  const whole = noAmounts();
  for (const [name, quantity] of amounts) {
    if (name === "cpu") whole.cpuMilli = milliUnits(quantity);
    else if (name === "memory") whole.memoryBytes = wholeUnits(quantity);
    else if (name === "ephemeral-storage") whole.ephemeralStorageBytes = wholeUnits(quantity);
    else whole.scalars[name] = wholeUnits(quantity);
  }
  return whole;
}
