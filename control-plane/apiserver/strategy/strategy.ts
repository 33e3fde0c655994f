import type { IpRange } from "../../../shared/api/ip.ts";
import type { NameRule } from "../../../shared/api/names.ts";
import type { KubeObject, ObjectMeta } from "../../../shared/api/object.ts";
import type { StatusCause } from "../../../shared/api/status.ts";
import type { IPAddress } from "../../../shared/api/types.ts";
import type { UserInfo } from "../attributes.ts";

/** What of ObjectMeta a write to a subresource might be kept from (upstream's ResetObjectMetaForStatus). */
export const RESETTABLE_META = [
  "deletionTimestamp",
  "generation",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const satisfies (keyof ObjectMeta)[];
export type ResettableMeta = (typeof RESETTABLE_META)[number];

export type IpFamily = "IPv4" | "IPv6";

/** What numbers are drawn by. */
export interface Drawing {
  /** At least 0, less than 1. */
  random(): number;
  /** Claims that other objects hold, as far as the caller has found out. */
  taken: Set<string>;
  /** Nothing is written: placeholders will do. */
  dryRun: boolean;
}

export interface AllocationContext extends Drawing {
  /** Whence services get their addresses: of the ServiceCIDRs that are ready. */
  ranges: readonly IpRange[];
  /** Those that the cluster is configured for, the default one first. */
  families: readonly IpFamily[];
}

/** The rules of one kind that a schema cannot say. Every member is optional; all are pure; objects are the callee's to change. */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** What a name may be; by default a DNS subdomain. */
  nameRule?: NameRule;
  /** Defaults that depend on other fields, after those of the schema. Runs on every write, and never on reads. */
  applyDefaults?(object: T, nowMs: number): void;
  /** Clears what a user may not set (status), sets what the server does (generation is set by the caller). */
  prepareForCreate?(object: T, user?: UserInfo): void;
  prepareForUpdate?(object: T, old: T): void;
  /**
   * In upstream's order and words, ObjectMeta apart. Empty: valid. Not for direct use: `validateForCreate` and
   * `validateForUpdate` of index.ts put the checks of ObjectMeta around it.
   */
  validate?(object: T): StatusCause[];
  /** All that an update is checked for, ObjectMeta apart, unchanged rules included; by default `validate`. */
  validateUpdate?(object: T, old: T): StatusCause[];
  /** A finalizer without a domain may have any name (by default only those that Kubernetes itself has). */
  allowsAnyFinalizer?: boolean;
  /** A new object's ObjectMeta is looked at only when `validate`, which has its own rules for it, finds nothing (Event). */
  checksMetaLast?: boolean;
  /** An update's ObjectMeta is checked once more (or twice) by the kind's own rules, as a new object's is. */
  checksMetaAgain?: boolean | 2;
  /** Its changes are checked once only: the kind's own rules leave them alone. */
  checksMetaUpdateOnce?: boolean;
  /** A write to the status subresource is checked as any update is, ObjectMeta included. */
  checksStatusAsUpdate?: boolean;
  /** A write of the status has its ObjectMeta checked as all kinds have, and by no rule of the kind's own. */
  checksStatusMetaOnce?: boolean;
  /** By default nothing. `prepareForStatusUpdate` has run. */
  validateStatusUpdate?(object: T, old: T): StatusCause[];
  /** Metadata that writes to the status subresource leave as it is, so that their writers cannot own it (upstream's GetResetFields). */
  metaKeptFromStatus?: readonly ResettableMeta[] | "all";
  /** After all but the status, and `metaKeptFromStatus`, has come from `old`. */
  prepareForStatusUpdate?(object: T, old: T, nowMs: number): void;
  /** Sent as Warning headers. */
  warnings?(object: T, old?: T): string[];
  /** The same of writes to the status subresource. */
  statusWarnings?(object: T, old: T): string[];
  /**
   * Gives the object what the cluster hands out (addresses, ports), after `prepareForCreate`/`prepareForUpdate` and
   * before validation. When the store answers that a claim is held, the caller adds it to `context.taken` and begins
   * again from the object as the client sent it. Causes: what the client asked for by name cannot be had.
   */
  allocate?(object: T, old: T | undefined, context: AllocationContext): StatusCause[];
  /** See WriteOp.claims. */
  claims?(object: T): string[];
  /** The addresses that the object has of the cluster, as the objects that say so (Service). See held-addresses.ts. */
  ipAddresses?(object: T): IPAddress[];
  /** Values of the kind's selectable fields (ResourceFacts.selectableFields). */
  fields?(object: T): Record<string, string>;
  /** The kind is deleted gracefully: how long it gets; undefined deletes at once (Pod). */
  gracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
  /** metadata.generation follows changes of spec (default true when the kind has a status subresource). */
  tracksGeneration?: boolean;
  /** When a tracked generation goes up; by default when anything but metadata and status has changed. */
  bumpsGeneration?(object: T, old: T): boolean;
  /** PUT to a name that is not there creates it (upstream AllowCreateOnUpdate). */
  allowCreateOnUpdate?: boolean;
  /** An update needs a resourceVersion (upstream AllowUnconditionalUpdate = false). */
  requiresResourceVersion?: boolean;
}
