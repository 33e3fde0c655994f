import { milliUnits, parseQuantity, wholeUnits } from "../../../shared/api/quantity.ts";
import type { Container, Node, Pod } from "../../../shared/api/types.ts";
import { type Amounts, addAmounts, noAmounts } from "./amounts.ts";

export interface PodAmounts {
  /** What the pod reserves (SCH-16). */
  requests: Amounts;
  /** The same with 100m and 200Mi for each container that names no cpu or memory. */
  nonZeroRequests: Amounts;
}

const DEFAULT_CPU_MILLI = 100;
const DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024;

export function podAmounts(pod: Pod): PodAmounts {
  return {
    requests: effectiveRequests(pod, (container) => amountsOf(container.resources?.requests)),
    nonZeroRequests: effectiveRequests(pod, nonZeroAmountsOf),
  };
}

/**
 * The greater of what runs together in the end (main containers and all sidecars) and of the heaviest step before it
 * (an init container and the sidecars started before it), resource by resource; pod-level requests go before the sum of
 * the containers; the overhead of the runtime class comes on top.
 * @see KEP-753, KEP-2837
 */
function effectiveRequests({ spec }: Pod, of: (container: Container) => Amounts): Amounts {
  const total = noAmounts();
  for (const container of spec?.containers ?? []) addAmounts(total, of(container));
  const sidecars = noAmounts();
  let heaviestStep = noAmounts();
  for (const container of spec?.initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === "Always") {
      addAmounts(sidecars, own);
      heaviestStep = maxAmounts(heaviestStep, sidecars);
    } else {
      addAmounts(own, sidecars);
      heaviestStep = maxAmounts(heaviestStep, own);
    }
  }
  addAmounts(total, sidecars);
  const effective = maxAmounts(total, heaviestStep);
  const podLevel = spec?.resources?.requests;
  if (podLevel) overrideAmounts(effective, podLevel);
  addAmounts(effective, amountsOf(spec?.overhead));
  return effective;
}

function overrideAmounts(target: Amounts, podLevel: Record<string, string>): void {
  const amounts = amountsOf(podLevel);
  if (podLevel.cpu !== undefined) target.cpuMilli = amounts.cpuMilli;
  if (podLevel.memory !== undefined) target.memoryBytes = amounts.memoryBytes;
  Object.assign(target.scalars, amounts.scalars);
}

function nonZeroAmountsOf({ resources }: Container): Amounts {
  const amounts = amountsOf(resources?.requests);
  if (resources?.requests?.cpu === undefined) amounts.cpuMilli = DEFAULT_CPU_MILLI;
  if (resources?.requests?.memory === undefined) amounts.memoryBytes = DEFAULT_MEMORY_BYTES;
  return amounts;
}

function maxAmounts(a: Amounts, b: Amounts): Amounts {
  const scalars: Record<string, number> = { ...a.scalars };
  for (const [name, amount] of Object.entries(b.scalars)) scalars[name] = Math.max(scalars[name] ?? 0, amount);
  return {
    cpuMilli: Math.max(a.cpuMilli, b.cpuMilli),
    memoryBytes: Math.max(a.memoryBytes, b.memoryBytes),
    ephemeralStorageBytes: Math.max(a.ephemeralStorageBytes, b.ephemeralStorageBytes),
    scalars,
  };
}

/** What a node has for pods, and how many of them it takes. */
export function allocatableOf({ status }: Node): Amounts & { pods: number } {
  const { pods, ...rest } = status?.allocatable ?? {};
  return { ...amountsOf(rest), pods: pods === undefined ? 0 : wholeUnits(parseQuantity(pods)) };
}

/** @throws RangeError for a quantity that validation would have refused */
export function amountsOf(list: Record<string, string> | undefined): Amounts {
  const amounts = noAmounts();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    if (name === "cpu") amounts.cpuMilli = milliUnits(quantity);
    else if (name === "memory") amounts.memoryBytes = wholeUnits(quantity);
    else if (name === "ephemeral-storage") amounts.ephemeralStorageBytes = wholeUnits(quantity);
    else amounts.scalars[name] = wholeUnits(quantity);
  }
  return amounts;
}
