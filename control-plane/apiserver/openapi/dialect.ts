import { isMarkedDefault, resolve, type Schema } from "../../../shared/schema/index.ts";

/** The two forms of the API's description: Swagger 2.0, and OpenAPI 3.0 with one document a group version. */
export type Dialect = "v2" | "v3";

export interface RenderedSchema {
  [keyword: string]: unknown;
}

/** A reference to a definition as it is written beside other keywords: OpenAPI 3.0 forbids that to `$ref` itself. */
export function renderReference(definition: string, dialect: Dialect): RenderedSchema {
  if (dialect === "v2") return { $ref: `#/definitions/${definition}` };
  return { $ref: `#/components/schemas/${definition}` };
}

/** What is told of a field beside its schema. */
interface FieldTexts {
  /** Of the field, not of what it refers to. */
  description?: string;
  /** See marked-defaults.ts. */
  isMarked?: boolean;
}

/** One field, list item or map value. */
export function renderSchema(
  schema: Schema,
  dialect: Dialect,
  { description, isMarked = false }: FieldTexts = {},
): RenderedSchema {
  const rendered: RenderedSchema = description ? { description } : {};
  const byDefault = dialect === "v3" ? publishedDefault(schema, isMarked) : undefined;
  if (schema.$ref !== undefined) {
    const reference = renderReference(schema.$ref, dialect);
    if (dialect === "v2") Object.assign(rendered, reference);
    else if (description || byDefault !== undefined) rendered["allOf"] = [reference];
    else return { ...reference, ...extensions(schema) };
  }
  if (schema.type) rendered["type"] = schema.type;
  if (schema.format) rendered["format"] = schema.format;
  if (schema.items) rendered["items"] = renderSchema(schema.items, dialect);
  if (schema.additionalProperties) {
    rendered["additionalProperties"] = renderSchema(schema.additionalProperties, dialect);
  }
  if (schema.enum) rendered["enum"] = schema.enum;
  // Swagger 2.0 never had them; a client that fills them in there would be the first.
  if (byDefault !== undefined) rendered["default"] = byDefault;
  return Object.assign(rendered, extensions(schema));
}

/**
 * What upstream calls a default here: the zero of what is written even when it is empty, and the few that its types are
 * marked with. What is filled in otherwise is not told.
 */
function publishedDefault(schema: Schema, isMarked: boolean): unknown {
  if (isMarked && schema.default !== undefined) return schema.default;
  if (!isMarked && (!schema.always || schema.pointer)) return undefined;
  if (schema.$ref !== undefined) return resolve(schema).properties ? {} : undefined;
  return schema.type === undefined || schema.format === "byte" ? undefined : ZEROES[schema.type];
}

/** Lists and maps have none. */
const ZEROES: Partial<Record<NonNullable<Schema["type"]>, unknown>> = {
  boolean: false,
  integer: 0,
  number: 0,
  string: "",
};

function extensions(schema: Schema): RenderedSchema {
  const rendered: RenderedSchema = {};
  if (schema.listType) rendered["x-kubernetes-list-type"] = schema.listType;
  if (schema.listMapKeys) rendered["x-kubernetes-list-map-keys"] = schema.listMapKeys;
  if (schema.mapType) rendered["x-kubernetes-map-type"] = schema.mapType;
  if (schema.patchStrategy) rendered["x-kubernetes-patch-strategy"] = schema.patchStrategy;
  if (schema.patchMergeKey) rendered["x-kubernetes-patch-merge-key"] = schema.patchMergeKey;
  return rendered;
}

/** Definitions that read and print themselves, and so are described by what they accept. */
const OPAQUE: Record<Dialect, Record<string, RenderedSchema>> = {
  v2: {
    quantity: { type: "string" },
    "int-or-string": { type: "string", format: "int-or-string" },
    "micro-time": { type: "string", format: "date-time" },
  },
  v3: {
    quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
    "int-or-string": { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" },
    "micro-time": { type: "string", format: "date-time" },
  },
};

/** Descriptions by definition: its own under "", those of its fields by name. */
export type Descriptions = Record<string, Record<string, string>>;

const CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
/** Metadata has the same description nearly everywhere. */
const METADATA: Record<string, string> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": `Standard object's metadata. More info: ${CONVENTIONS}#metadata`,
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`,
};

/** A whole definition. A field that lacks a description has that of its type: the library keeps no other for those. */
export function renderDefinition(
  name: string,
  schema: Schema,
  dialect: Dialect,
  descriptions: Descriptions,
): RenderedSchema {
  const texts = descriptions[name];
  const rendered: RenderedSchema = texts?.[""] ? { description: texts[""] } : {};
  const opaque = OPAQUE[dialect][schema.format ?? ""];
  if (opaque) return Object.assign(rendered, opaque);
  if (schema.type) rendered["type"] = schema.type;
  if (schema.format) rendered["format"] = schema.format;
  if (schema.properties && Object.keys(schema.properties).length > 0) {
    rendered["properties"] = Object.fromEntries(
      Object.entries(schema.properties).map(([key, field]) => {
        const description = texts?.[key] ?? METADATA[field.$ref ?? ""] ?? descriptions[field.$ref ?? ""]?.[""];
        return [key, renderSchema(field, dialect, { description, isMarked: isMarkedDefault(name, key) })];
      }),
    );
  }
  if (schema.required) rendered["required"] = schema.required;
  return Object.assign(rendered, extensions(schema));
}

/** Adds the definitions that a schema refers to, and what they refer to, to a set. */
export function collectReferences(name: string, all: Record<string, Schema>, into: Set<string>): void {
  if (into.has(name)) return;
  into.add(name);
  for (const reference of referencesIn(all[name]!)) collectReferences(reference, all, into);
}

function* referencesIn({ $ref, items, additionalProperties, properties }: Schema): Iterable<string> {
  if ($ref !== undefined) yield $ref;
  if (items) yield* referencesIn(items);
  if (additionalProperties) yield* referencesIn(additionalProperties);
  for (const field of Object.values(properties ?? {})) yield* referencesIn(field);
}
