import type { Container, Pod } from "../api/index.ts";
import { bytes, cpuMilli } from "../cgroup/index.ts";

/** Quantities by the resource's name, of what the node has for pods. */
export type Allocatable = Readonly<Record<string, string>>;

interface ResourceField {
  containerName?: string;
  resource: string;
  divisor?: string;
}

const FIELD = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/;

/**
 * The value of a resourceFieldRef, divided and rounded up.
 * @param allocatable stands in for limits that are not set; huge pages have none but their own
 * @throws Error in upstream's words if the container or the resource is unknown
 */
export function resourceFieldValue(
  pod: Pod,
  container: Container | undefined,
  field: ResourceField,
  allocatable: Allocatable,
): string {
  const named = field.containerName
    ? [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === field.containerName)
    : container;
  if (!named) throw new Error(`container ${field.containerName ?? ""} not found`);
  const match = FIELD.exec(field.resource);
  if (!match) throw new Error(`unsupported container resource : ${field.resource}`);
  const [, kind, name] = match as unknown as [string, "limits" | "requests", string];
  const amount = name === "cpu" ? cpuMilli : bytes;
  const divisor = field.divisor && amount(field.divisor) > 0 ? field.divisor : "1";
  const own = named.resources?.[kind]?.[name];
  const isSet = own !== undefined && amount(own) > 0;
  const text = isSet || kind === "requests" || name.startsWith("hugepages-") ? own : allocatable[name];
  return String(Math.ceil((text === undefined ? 0 : amount(text)) / amount(divisor)));
}
