import { goJson, invalidValue } from "../../../shared/api/field-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import { type ApiError, badRequest, failure } from "../../../shared/api/status.ts";
import {
  decodeObject,
  findKind,
  type ResourceFacts,
  schemaOf,
  strictDecodingError,
} from "../../../shared/schema/index.ts";
import { decodeErrorOf } from "../decode.ts";
import { goKind, jsonParseError } from "../decode-error.ts";
import { internalType } from "../response-object.ts";
import { printGo } from "./go-print.ts";
import type { ParsedPatch } from "./index.ts";

/** What a patch made of an object, decoded. */
export interface PatchedObject {
  object: JsonObject;
  /** Whose version it turned out to be: a patch may name another one of the same kind. */
  facts: ResourceFacts;
  /** For the Warning header. */
  unknownFields: string[];
}

interface Patched {
  facts: ResourceFacts;
  parsed: ParsedPatch;
  value: Json;
  /** The value as messages show it. */
  quoted: () => Json;
  fieldValidation: "Ignore" | "Warn" | "Strict";
  /** What the patch's own text has wrong. */
  strictErrors: string[];
}

/**
 * Reads what a patch made of the object, which may be no object of the kind any more.
 * @throws ApiError 422 that quotes what came out, as upstream does
 */
export function decodePatchedObject(patched: Patched): PatchedObject {
  const { parsed, quoted, fieldValidation } = patched;
  const rejected = (why: string): ApiError => {
    const cause = invalidValue("patch", quotePatched(parsed, quoted), why);
    // Upstream names no object here.
    return failure(422, "Invalid", ` "" is invalid: patch: ${cause.message}`, { causes: [cause] });
  };
  let decoded: PatchedObject;
  try {
    decoded = parsed.language === "strategic" ? decodeMap(patched) : decodeDocument(patched);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The decoder's reason without its introduction, which names a body.
    throw rejected(error.message.replace(/^.* cannot be handled as a [^:]*: /, ""));
  }
  if (fieldValidation === "Strict" && decoded.unknownFields.length > 0) {
    throw rejected(strictDecodingError(decoded.unknownFields));
  }
  return decoded;
}

/** A JSON or merge patch is quoted by its result, a strategic one by itself as Go prints it. */
export const quotePatched = (parsed: ParsedPatch, quoted: () => Json): string =>
  parsed.language === "strategic" ? printGo(parsed.patch) : goJson(quoted());

const collecting = ({ fieldValidation }: Patched) => (fieldValidation === "Ignore" ? "Ignore" : "Warn");

/** A strategic merge patch works on the kind's own fields: what it says of kind and version is not looked at. */
function decodeMap(patched: Patched): PatchedObject {
  const { facts, value, strictErrors } = patched;
  const decoded = decodeObject(facts.schema, value, collecting(patched), strictErrors, "map");
  return { ...decoded, facts };
}

function decodeDocument(patched: Patched): PatchedObject {
  const { value, strictErrors } = patched;
  if (!isJsonObject(value)) throw badRequest(`json: cannot unmarshal ${goKind(value)} into Go value`);
  const { apiVersion, kind } = namesOf(value);
  if (apiVersion === "") return decodeWithoutVersion(patched, value);
  const facts = versionNamed(patched.facts, value, { apiVersion, kind: kind || patched.facts.kind });
  const typed = { ...value, apiVersion, kind: facts.kind };
  return { ...decodeObject(facts.schema, typed, collecting(patched), strictErrors), facts };
}

function namesOf(value: JsonObject): { apiVersion: string; kind: string } {
  const nameOf = (field: string): string => {
    const name = value[field] ?? "";
    if (typeof name === "string") return name;
    throw badRequest(
      jsonParseError(`json: cannot unmarshal ${goKind(name)} into Go struct field .${field} of type string`),
    );
  };
  return { apiVersion: nameOf("apiVersion"), kind: nameOf("kind") };
}

/** The facts of the version that a patched object names. @throws ApiError with upstream's reason where that is none */
function versionNamed(
  facts: ResourceFacts,
  value: JsonObject,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): ResourceFacts {
  const parts = apiVersion.split("/");
  if (parts.length > 2) throw badRequest(`unexpected GroupVersion string: ${apiVersion}`);
  const [version = "", group = ""] = parts.reverse();
  const named = findKind({ group, version, kind });
  if (!named) {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  }
  if (named.kind === facts.kind) return named;
  const why = decodeErrorOf(named.schema, value);
  if (why !== undefined) throw badRequest(why);
  throw badRequest(`converting (${version}.${kind}) to (${internalType(facts)}): unknown conversion`);
}

/**
 * Without a version upstream's decoder reads the internal type, whose fields have no names in JSON: those of the
 * metadata stand at the root, and nothing else is known. As a rule such an object has no name, and is refused for that.
 */
function decodeWithoutVersion(patched: Patched, value: JsonObject): PatchedObject {
  const { facts, strictErrors } = patched;
  const { properties } = schemaOf("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const names = { kind: { type: "string" as const }, apiVersion: { type: "string" as const } };
  const schema = { type: "object" as const, properties: { ...properties, ...names } };
  try {
    const { object, unknownFields } = decodeObject(schema, value, collecting(patched), strictErrors);
    const { kind: _kind, apiVersion: _apiVersion, ...metadata } = object;
    return { object: { metadata }, facts, unknownFields };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const inMetadata = (_: string, struct: string, field: string) =>
      `Go struct field ${struct || facts.kind}.ObjectMeta.${field} of type`;
    throw badRequest(error.message.replace(/Go struct field (\w*)\.(\S+) of type/, inMetadata));
  }
}
