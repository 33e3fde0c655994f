import { parseQuantity, printQuantity, wholeUnits } from "../../shared/api/quantity.ts";
import type { Container, Pod } from "../api/index.ts";
import { type Observation, RESOURCE } from "./decide.ts";
import type { PodUsage } from "./rank.ts";
import { amountOf, type Threshold } from "./thresholds.ts";

/** Why a pod was evicted, in upstream's words. */
export function renderEvictionMessage(
  pod: Pod,
  threshold: Threshold,
  observed: Observation,
  usage: PodUsage | undefined,
): string {
  const resource = RESOURCE[threshold.signal];
  const quantity =
    "absolute" in threshold.value ? threshold.value.text : printBytes(amountOf(threshold.value, observed.capacity));
  const head = `The node was low on resource: ${resource}. Threshold quantity: ${quantity}, available: ${printAvailable(observed.available, resource)}. `;
  if (resource !== "memory" || !usage) return head;
  const containers: Container[] = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  return containers.reduce((text, { name, resources }) => {
    const request = resources?.requests?.["memory"] ?? "0";
    const used = usage.containers[name];
    if (used === undefined || used <= wholeUnits(parseQuantity(request))) return text;
    return `${text}Container ${name} was using ${printBytes(used)}, request is ${request}, has larger consumption of memory. `;
  }, head);
}

/** Of memory and disks upstream prints whole kibibytes where there are any. */
const printAvailable = (amount: number, resource: string) =>
  resource === "pids" || resource === "inodes" ? String(amount) : printBytes(amount);

const printBytes = (bytes: number) =>
  printQuantity({ nanos: BigInt(Math.floor(bytes)) * 1_000_000_000n, format: "BinarySI" });
