import { existsSync } from "node:fs";
import { join } from "node:path";
import { DEFAULTS } from "../../shared/schema/facts/defaults.ts";
import { DEFINITIONS } from "../../shared/schema/facts/definitions.ts";
import { ENUMS } from "../../shared/schema/facts/enums.ts";
import { OPAQUE_DEFINITIONS, OPAQUE_FIELDS, QUANTITY_FIELDS } from "../../shared/schema/facts/field-types.ts";
import { ATOMIC_DEFINITIONS, MERGE_FACTS } from "../../shared/schema/facts/merge.ts";
import { WIRE_FACTS } from "../../shared/schema/facts/wire.ts";
import type { Definitions, Schema } from "../../shared/schema/model.ts";
import { readFacts, words } from "./facts.ts";
import { type Model, type ModelField, readModel } from "./read-models.ts";

/** A definition to be made: upstream's name and the library's. */
export interface Source {
  definition: string;
  model: Model;
}

export interface Descriptions {
  [definition: string]: { "": string } & Record<string, string>;
}

const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const LIBRARY_TYPES: Record<string, Schema> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  Date: { $ref: "io.k8s.apimachinery.pkg.apis.meta.v1.Time" },
  V1MicroTime: { $ref: "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime" },
  IntOrString: { $ref: "io.k8s.apimachinery.pkg.util.intstr.IntOrString" },
};

/** `core` of `io.k8s.api.core.v1`, and `v1`. */
function groupAndVersion(goPackage: string): [group: string, version: string] {
  const parts = goPackage.split(".");
  return [parts.at(-2)!, parts.at(-1)!];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Names that two groups share carry the group in the library; others the version alone. */
function modelName(goPackage: string, name: string): string {
  const [group, version] = groupAndVersion(goPackage);
  const models = join(import.meta.dirname, "../../node_modules/@kubernetes/client-node/dist/gen/models");
  const candidates = [`${capital(group)}${capital(version)}${name}`, `${capital(version)}${name}`];
  if (goPackage === "io.k8s.apimachinery.pkg.version") candidates.unshift("VersionInfo");
  const found = candidates.find((candidate) => existsSync(join(models, `${candidate}.js`)));
  if (!found) throw new Error(`the client library has no ${goPackage}.${name}`);
  return found;
}

export function readSources(): Source[] {
  return Object.entries(DEFINITIONS).flatMap(([goPackage, names]) =>
    words(names).map((name) => ({
      definition: `${goPackage}.${name}`,
      model: readModel(modelName(goPackage, name)),
    })),
  );
}

/** The structural schemas, complete with our facts; descriptions apart. */
export function makeDefinitions(sources: Source[]): { definitions: Definitions; descriptions: Descriptions } {
  const byModel = new Map(sources.map(({ definition, model }) => [model.name, definition]));
  const quantities = readFacts(QUANTITY_FIELDS);
  const opaque = readFacts(OPAQUE_FIELDS);
  const definitions: Definitions = { ...OPAQUE_DEFINITIONS };
  const descriptions: Descriptions = {};
  for (const { definition, model } of sources) {
    const overrides = new Map<string, Schema>();
    for (const field of quantities.get(definition) ?? []) overrides.set(field, { $ref: QUANTITY });
    for (const word of opaque.get(definition) ?? []) {
      const [field, name] = word.split("=");
      overrides.set(field!, { $ref: opaqueName(name!) });
    }
    definitions[definition] = objectSchema(model, byModel, overrides);
    descriptions[definition] = { "": model.description };
    for (const field of model.fields) descriptions[definition][field.name] = field.description;
  }
  addMergeFacts(definitions);
  addWireFacts(definitions);
  addEnums(definitions);
  addDefaults(definitions);
  return { definitions, descriptions };
}

function opaqueName(word: string): string {
  const found = Object.keys(OPAQUE_DEFINITIONS).find((name) => name.endsWith(`.${word}`));
  if (!found) throw new Error(`no opaque definition ${word}`);
  return found;
}

function objectSchema(model: Model, byModel: Map<string, string>, overrides: Map<string, Schema>): Schema {
  const properties: Record<string, Schema> = {};
  for (const field of model.fields) {
    try {
      properties[field.name] = fieldSchema(field, byModel, overrides.get(field.name));
    } catch (cause) {
      throw new Error(`${model.name}.${field.name}`, { cause });
    }
  }
  const required = model.fields.filter((field) => field.required).map((field) => field.name);
  return { type: "object", properties, ...(required.length > 0 ? { required: required.sort() } : {}) };
}

function fieldSchema({ type, format }: ModelField, byModel: Map<string, string>, leaf: Schema | undefined): Schema {
  const list = /^Array<(.*)>$/.exec(type);
  if (list) {
    const items = fieldSchema({ type: list[1]!, format } as ModelField, byModel, leaf);
    return { type: "array", items };
  }
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
  if (map) {
    const values = fieldSchema({ type: map[1]!, format } as ModelField, byModel, leaf);
    return { type: "object", additionalProperties: values };
  }
  if (leaf) return { ...leaf };
  if (type === "number") return { type: format === "double" ? "number" : "integer", format };
  if (type === "string" && format !== "") return { type: "string", format };
  const definition = byModel.get(type);
  if (definition) return { $ref: definition };
  const known = LIBRARY_TYPES[format === "date-time-micro" ? "V1MicroTime" : type];
  if (!known) throw new Error(`unknown type ${type}`);
  return { ...known };
}

const MERGE_FACT = /^([\w-]+)=([a-z]*)(?:\(([\w,]+)\))?(?:\/([\w,]+)(?:\((\w+)\))?)?$/;

function addMergeFacts(definitions: Definitions): void {
  for (const [definition, facts] of readFacts(MERGE_FACTS)) {
    for (const fact of facts) {
      const match = MERGE_FACT.exec(fact);
      const property = definitions[definition]?.properties?.[match?.[1] ?? ""];
      if (!match || !property) throw new Error(`${definition} has a fact about a field that is not there: ${fact}`);
      const [, , type, keys, patchStrategy, patchMergeKey] = match;
      // Bytes are a list to Go: upstream gives one such field a list type.
      if (property.type === "array" || property.format === "byte") {
        if (type) property.listType = type as "atomic" | "set" | "map";
        if (keys) property.listMapKeys = keys.split(",");
      } else if (type) {
        property.mapType = type as "atomic" | "granular";
      }
      if (patchStrategy) property.patchStrategy = patchStrategy;
      if (patchMergeKey) property.patchMergeKey = patchMergeKey;
    }
  }
  for (const [goPackage, names] of Object.entries(ATOMIC_DEFINITIONS)) {
    for (const name of words(names)) {
      const schema = definitions[`${goPackage}.${name}`];
      if (!schema) throw new Error(`${goPackage}.${name} is not defined`);
      schema.mapType = "atomic";
    }
  }
}

const WIRE_FACT = /^([\w$-]+)([*!?]*)(?::(.+))?$/;
/** Structs by value wherever they are optional. */
const ALWAYS_WRITTEN = ["metadata", "spec", "status"];

function addWireFacts(definitions: Definitions): void {
  const facts = readFacts(WIRE_FACTS);
  for (const [definition, { properties = {}, required = [] }] of Object.entries(definitions)) {
    const words = new Map((facts.get(definition) ?? []).map((word) => [WIRE_FACT.exec(word)?.[1], word]));
    for (const [field, schema] of Object.entries(properties)) {
      const [, , flags = "", goType] = WIRE_FACT.exec(words.get(field) ?? "") ?? [];
      const byRule =
        required.includes(field) ||
        (ALWAYS_WRITTEN.includes(field) && schema.$ref !== undefined && !flags.includes("*"));
      if (flags.includes("!") || (byRule && !flags.includes("?"))) schema.always = true;
      if (flags.includes("*")) schema.pointer = true;
      if (goType) schema.goType = goType;
      words.delete(field);
    }
    if (words.size > 0)
      throw new Error(`${definition} has a fact about a field that is not there: ${[...words.values()]}`);
    facts.delete(definition);
  }
  if (facts.size > 0) throw new Error(`facts about unknown definitions: ${[...facts.keys()]}`);
}

/** By the types that the facts of the wire name, so after them. @throws Error for a type that no field has */
function addEnums(definitions: Definitions): void {
  const enums = readFacts(ENUMS);
  const used = new Set<string>();
  for (const [definition, { properties = {} }] of Object.entries(definitions)) {
    const goPackage = definition.slice(0, definition.lastIndexOf("."));
    for (const field of Object.values(properties)) {
      // `v1.PullPolicy`, `[]v1.OperationType`, `map[v1.ResourceName]v1.ClaimResourceStatus`.
      const type = `${goPackage}.${field.goType?.split(".").at(-1)}`;
      const values = enums.get(type);
      if (!values) continue;
      used.add(type);
      const leaf = field.items ?? field.additionalProperties ?? field;
      leaf.enum = values.map((value) => (value === '""' ? "" : value.replaceAll("_", " ")));
    }
  }
  const unused = [...enums.keys()].filter((type) => !used.has(type));
  if (unused.length > 0) throw new Error(`enums of types that no field has: ${unused}`);
}

function addDefaults(definitions: Definitions): void {
  for (const [definition, words] of readFacts(DEFAULTS)) {
    for (const word of words) {
      const [field, text] = [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)];
      const property = definitions[definition]?.properties?.[field];
      if (!property) throw new Error(`${definition} has a default for a field that is not there: ${word}`);
      property.default = parseValue(text);
    }
  }
}

/** JSON, or else a text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
