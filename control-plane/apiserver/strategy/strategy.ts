import type { KubeObject } from "../../../shared/api/object.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

/** The rules of one kind that a schema cannot say. Every member is optional; all are pure; objects are the callee's to change. */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** Defaults that depend on other fields, after those of the schema. Runs on every write, and never on reads. */
  applyDefaults?(object: T): void;
  /** Clears what a user may not set (status), sets what the server does (generation is set by the caller). */
  prepareForCreate?(object: T): void;
  prepareForUpdate?(object: T, old: T): void;
  /** In upstream's order and words; the caller has already validated ObjectMeta. Empty: valid. */
  validate?(object: T): StatusCause[];
  /** Immutable fields and transitions; called with validate(). */
  validateUpdate?(object: T, old: T): StatusCause[];
  validateStatusUpdate?(object: T, old: T): StatusCause[];
  /** Sent as Warning headers. */
  warnings?(object: T, old?: T): string[];
  /** See WriteOp.claims. */
  claims?(object: T): string[];
  /** Values of the kind's selectable fields (ResourceFacts.selectableFields). */
  fields?(object: T): Record<string, string>;
  /** The kind is deleted gracefully: how long it gets; undefined deletes at once (Pod). */
  gracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
  /** metadata.generation follows changes of spec (default true when the kind has a status subresource). */
  tracksGeneration?: boolean;
  /** PUT to a name that is not there creates it (upstream AllowCreateOnUpdate). */
  allowCreateOnUpdate?: boolean;
  /** An update needs a resourceVersion (upstream AllowUnconditionalUpdate = false). */
  requiresResourceVersion?: boolean;
}
