import type { Container, Pod } from "../api/index.ts";
import { bytes, cpuMilli } from "../cgroup/index.ts";

/** The node's allocatable amounts stand in for limits that are not set. */
export interface NodeCapacity {
  cpuMilli: number;
  memoryBytes: number;
}

interface ResourceField {
  containerName?: string;
  resource: string;
  divisor?: string;
}

/**
 * The value of a resourceFieldRef, divided and rounded up.
 * @throws Error if the container or the resource is unknown
 */
export function resourceFieldValue(
  pod: Pod,
  container: Container | undefined,
  field: ResourceField,
  node: NodeCapacity,
): string {
  const named = field.containerName
    ? [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === field.containerName)
    : container;
  if (!named) throw new Error(`container ${field.containerName ?? ""} not found`);
  const match = /^(limits|requests)\.(cpu|memory|ephemeral-storage)$/.exec(field.resource);
  if (!match) throw new Error(`unsupported container resource : ${field.resource}`);
  const [, kind, name] = match as unknown as [string, "limits" | "requests", string];
  const divisor = field.divisor && field.divisor !== "0" ? field.divisor : "1";
  const text = named.resources?.[kind]?.[name];
  if (name === "cpu") {
    const milli = text !== undefined ? cpuMilli(text) : kind === "limits" ? node.cpuMilli : 0;
    return String(Math.ceil(milli / cpuMilli(divisor)));
  }
  const amount = text !== undefined ? bytes(text) : kind === "limits" && name === "memory" ? node.memoryBytes : 0;
  return String(Math.ceil(amount / bytes(divisor)));
}
