/**
 * A structural schema: the form a CustomResourceDefinition has, used for built-in kinds too. One model serves decoding
 * (pruning, unknown and duplicate fields, type errors), defaulting, strategic merge, server-side apply and OpenAPI.
 */
export interface Schema {
  /** Points into `Definitions`; nothing else stands beside it but `description` and `default`. */
  $ref?: string;
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  /** int32, int64, double, byte, date-time, int-or-string, quantity, micro-time … */
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  items?: Schema;
  default?: unknown;
  enum?: unknown[];
  /** The object is kept as it is (RawExtension, FieldsV1, JSON). */
  preserveUnknownFields?: boolean;
  listType?: "atomic" | "set" | "map";
  listMapKeys?: string[];
  mapType?: "atomic" | "granular";
  /** Strategic merge: e.g. "merge", "replace", "retainKeys", "merge,retainKeys". */
  patchStrategy?: string;
  patchMergeKey?: string;
  /** Written even when it is empty: null, zero or `{}`. Other fields vanish then (see facts/wire.ts). */
  always?: boolean;
  /** Zero is a value of its own: upstream has a pointer here. */
  pointer?: boolean;
  /** What the decoder's messages call the type, where it is not the plain one (`v1.PodPhase`). */
  goType?: string;
}

/** By upstream's published names, e.g. `io.k8s.api.core.v1.Pod`. */
export type Definitions = Record<string, Schema>;
