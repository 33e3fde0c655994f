import { readyCondition } from "../../../shared/api/conditions.ts";
import { containsAddress, isOfAllocator, rangesOf } from "../../../shared/api/service-cidr.ts";
import type { IPAddress, ServiceCIDR } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";

export const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
/** Before the finalizer goes: so long may those who give out addresses still take the ServiceCIDR for usable. */
export const DELETION_GRACE_MS = 10_000;

export interface Ready {
  status: "True" | "False";
  reason: string;
  message: string;
}

const READY: Ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
const HELD: Ready = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

export interface Plan {
  finalizer: "add" | "release" | "keep";
  /** The condition to write; undefined: it says so. */
  ready?: Ready;
  recheckAfterMs?: number;
}

/**
 * Protects a ServiceCIDR, and lets it go when no address depends on it: none was given out of it, or another
 * ServiceCIDR has them, too.
 * @param all every ServiceCIDR, this one included
 * @param addresses asked for only when it is being deleted
 */
export function decide(cidr: ServiceCIDR, all: ServiceCIDR[], addresses: () => IPAddress[], nowMs: number): Plan {
  const { deletionTimestamp, finalizers = [] } = cidr.metadata;
  const isHeld = finalizers.includes(FINALIZER);
  if (!deletionTimestamp) return { finalizer: isHeld ? "keep" : "add", ...changed(cidr, READY) };
  if (!isHeld) return { finalizer: "keep" };
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name);
  if (!isCovered(cidr, others) && leavesOrphans(cidr, others, addresses())) {
    return { finalizer: "keep", ...changed(cidr, HELD) };
  }
  const leftMs = parseTime(deletionTimestamp) + DELETION_GRACE_MS - nowMs;
  return leftMs > 0 ? { finalizer: "keep", recheckAfterMs: leftMs } : { finalizer: "release" };
}

function changed(cidr: ServiceCIDR, ready: Ready): { ready?: Ready } {
  const current = readyCondition(cidr);
  const isSame =
    current?.status === ready.status && (current.reason ?? "") === ready.reason && current.message === ready.message;
  return isSame ? {} : { ready };
}

/** Whether each of its ranges lies within one of another. */
const isCovered = (cidr: ServiceCIDR, others: ServiceCIDR[]): boolean =>
  rangesOf(cidr).every((range) =>
    others
      .flatMap(rangesOf)
      .some(
        ({ family, first, prefixLength }) =>
          family === range.family &&
          prefixLength <= range.prefixLength &&
          first === (range.first >> shift(family, prefixLength)) << shift(family, prefixLength),
      ),
  );

const shift = (family: 4 | 6, prefixLength: number) => BigInt((family === 4 ? 32 : 128) - prefixLength);

const leavesOrphans = (cidr: ServiceCIDR, others: ServiceCIDR[], addresses: IPAddress[]): boolean =>
  addresses.some(
    (address) =>
      isOfAllocator(address) &&
      containsAddress(cidr, address.metadata.name) &&
      !others.some((other) => containsAddress(other, address.metadata.name)),
  );
