import { definitions } from "./definitions.ts";
import { embeddedPath } from "./facts/embedded.ts";
import type { Schema } from "./model.ts";

/**
 * A schema made ready for walking objects: references followed, each type by what has to be done with it. Made once for
 * each definition and kept.
 */
export type Node = StructNode | ListNode | MapNode | LeafNode;

interface Named {
  /** As the decoder's messages call the type. */
  goType: string;
}

export interface StructNode extends Named {
  kind: "struct";
  fields: Map<string, Field>;
  /** Those of the fields that are written even when they are empty. */
  always: Field[];
  /** Those that have a default, or may have one further down. */
  defaulted?: Field[];
}

export interface Field {
  name: string;
  /** Its name in messages of the decoder, behind those of the structs that upstream embeds (`VolumeSource.nfs`). */
  goPath: string;
  node: Node;
  always: boolean;
  pointer: boolean;
  default?: unknown;
}

export interface ListNode extends Named {
  kind: "list";
  item: Node;
  /** It is owned, and compared, as one value: neither a set nor a map by keys. */
  isAtomic: boolean;
}

export interface MapNode extends Named {
  kind: "map";
  value: Node;
}

export interface LeafNode extends Named {
  kind:
    | "string"
    | "boolean"
    | "int32"
    | "int64"
    | "number"
    | "bytes"
    | "time"
    | "microTime"
    | "quantity"
    | "intOrString"
    | "opaque";
}

const LEAVES: Record<string, [kind: LeafNode["kind"], goType: string]> = {
  "string/": ["string", "string"],
  "string/byte": ["bytes", "[]uint8"],
  "string/date-time": ["time", "string"],
  "string/micro-time": ["microTime", "string"],
  "string/quantity": ["quantity", "resource.Quantity"],
  "string/int-or-string": ["intOrString", "int32"],
  "boolean/": ["boolean", "bool"],
  "integer/": ["int64", "int64"],
  "integer/int32": ["int32", "int32"],
  "integer/int64": ["int64", "int64"],
  "number/": ["number", "float64"],
  "number/double": ["number", "float64"],
};

const byDefinition = new Map<string, Node>();
const bySchema = new WeakMap<Schema, Node>();

/** The node of a definition by name, or of a schema of its own. */
export function nodeOf(schema: string | Schema): Node {
  if (typeof schema !== "string") {
    if (schema.$ref !== undefined) return nodeOf(schema.$ref);
    return bySchema.get(schema) ?? makeNode(schema, "", (node) => bySchema.set(schema, node));
  }
  const known = byDefinition.get(schema);
  if (known) return known;
  const definition = definitions()[schema];
  if (!definition) throw new Error(`no definition ${schema}`);
  return makeNode(definition, goTypeOf(schema), (node) => byDefinition.set(schema, node));
}

/** `v1.Pod` of `io.k8s.api.core.v1.Pod`. */
const goTypeOf = (definition: string) => definition.split(".").slice(-2).join(".");

/** @param keep called before the parts are made, for a type that holds itself (JSONSchemaProps) */
function makeNode(schema: Schema, goType: string, keep: (node: Node) => void): Node {
  if (schema.preserveUnknownFields) return kept({ kind: "opaque", goType }, keep);
  if (schema.type === "array") {
    const item = nodeOf(withItemType(schema.items ?? {}, schema.goType, /^\[\]/));
    const isAtomic = schema.listType !== "set" && schema.listType !== "map";
    return kept({ kind: "list", goType: schema.goType ?? `[]${item.goType}`, item, isAtomic }, keep);
  }
  if (schema.additionalProperties) {
    const value = nodeOf(withItemType(schema.additionalProperties, schema.goType, /^map\[[^\]]*\]/));
    return kept({ kind: "map", goType: schema.goType ?? `map[string]${value.goType}`, value }, keep);
  }
  if (schema.type === "object" || schema.properties) return makeStruct(schema, goType, keep);
  const leaf = LEAVES[`${schema.type}/${schema.format ?? ""}`];
  if (!leaf) return kept({ kind: "opaque", goType }, keep);
  return kept({ kind: leaf[0], goType: schema.goType ?? leaf[1] }, keep);
}

function kept(node: Node, keep: (node: Node) => void): Node {
  keep(node);
  return node;
}

/** `[]v1.PodPhase` names its items too, and `map[string]v1.ExtraValue` its values. */
function withItemType(items: Schema, type: string | undefined, prefix: RegExp): Schema {
  if (type === undefined || !prefix.test(type) || items.$ref !== undefined) return items;
  return { ...items, goType: type.replace(prefix, "") };
}

function makeStruct(schema: Schema, goType: string, keep: (node: Node) => void): StructNode {
  const node: StructNode = { kind: "struct", goType, fields: new Map(), always: [] };
  keep(node);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const { always = false, pointer = false } = property;
    const goPath = [...embeddedPath(goType, name), name].join(".");
    const field: Field = { name, goPath, node: nodeOf(property), always, pointer, default: property.default };
    node.fields.set(name, field);
    if (always) node.always.push(field);
  }
  return node;
}
