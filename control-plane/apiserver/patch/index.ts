/**
 * Patches: from a request's body and content type to the object as it would be. It knows the four patch languages and
 * their errors, not storage, admission or retries: the handler calls it again with a newer object after a conflict.
 */
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, failure, requestTooLarge } from "../../../shared/api/status.ts";
import { ownMember } from "../../../shared/own-member.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation, MAX_JSON_PATCH_OPERATIONS } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";
import { type MergeSchema, strategicMerge } from "./strategic-merge.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

export type PatchLanguage = "json" | "merge" | "strategic" | "apply";

const CONTENT_TYPES: Record<string, PatchLanguage> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** In the order in which upstream's 415 lists them. */
export const PATCH_CONTENT_TYPES = Object.keys(CONTENT_TYPES);

/** Undefined for a media type that is no patch. Parameters (`;charset=utf-8`) are ignored. */
export function patchLanguageOf(contentType: string): PatchLanguage | undefined {
  return ownMember(CONTENT_TYPES, contentType.split(";")[0]!.trim().toLowerCase());
}

/** A patch whose JSON has been read: by the caller, since its duplicate fields are reported with the object's. */
export type ParsedPatch =
  | { language: "json"; operations: JsonPatchOperation[]; unknownFields: string[] }
  | { language: "merge"; patch: JsonObject }
  | { language: "strategic"; patch: JsonObject };

/**
 * Checks a patch's form.
 * @param value the body as JSON.parse gave it
 * @throws ApiError 400 with the decoder's words, 413 for too many operations
 */
export function parsePatch(language: Exclude<PatchLanguage, "apply">, value: Json): ParsedPatch {
  if (language === "json") return { language, ...parseOperations(value) };
  if (value === null && language === "strategic") return { language, patch: {} };
  if (value === null) throw badRequest("Invalid JSON Patch");
  if (!isJsonObject(value)) {
    const text = `json: cannot unmarshal ${jsonKindOf(value)} into Go value of type map[string]interface {}`;
    throw badRequest(language === "merge" ? `error decoding patch: ${text}` : text);
  }
  return { language, patch: value };
}

const OPERATION_FIELDS = new Set(["op", "path", "from", "value"]);

function parseOperations(value: Json): { operations: JsonPatchOperation[]; unknownFields: string[] } {
  if (value === null) return { operations: [], unknownFields: [] };
  if (!Array.isArray(value)) throw cannotDecode(value, "Go value of type []handlers.jsonPatchOp");
  const unknownFields: string[] = [];
  value.forEach((operation, index) => {
    if (operation === null) throw notApplicable(); // an operation without anything
    if (!isJsonObject(operation)) throw cannotDecode(operation, "Go value of type handlers.jsonPatchOp");
    for (const [field, member] of Object.entries(operation)) {
      if (!OPERATION_FIELDS.has(field)) unknownFields.push(`json patch unknown field "[${index}].${field}"`);
      else if (field !== "value" && member !== null && typeof member !== "string") {
        throw cannotDecode(member, `Go struct field jsonPatchOp.${field} of type string`);
      }
    }
  });
  if (value.length > MAX_JSON_PATCH_OPERATIONS) {
    throw requestTooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${value.length}`,
    );
  }
  return { operations: value as unknown as JsonPatchOperation[], unknownFields };
}

/** All that upstream tells of a JSON patch that cannot be applied. */
const notApplicable = () =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

const cannotDecode = (value: Json, into: string) =>
  badRequest(`error decoding patch: json: cannot unmarshal ${jsonKindOf(value)} into ${into}`);

/** What Go's decoder calls a JSON value. */
function jsonKindOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * The object that a patch makes of `current`; not yet decoded, so it may hold unknown fields and wrong types.
 * @param current as the client sees it, with kind, apiVersion and resourceVersion; left alone
 * @throws ApiError as upstream answers: 422 without a word for a JSON patch, 400 or 500 with the text for a strategic one
 */
export function applyPatch(
  parsed: ParsedPatch,
  current: KubeObject,
  schema: Schema | undefined,
  lookup: MergeSchema,
): Json {
  const document = current as unknown as JsonObject;
  try {
    switch (parsed.language) {
      case "json":
        return applyJsonPatch(document, parsed.operations);
      case "merge":
        return mergePatch(document, parsed.patch);
      case "strategic":
        return strategicMerge(document, parsed.patch, schema, lookup);
    }
  } catch (error) {
    if (error instanceof JsonPatchError) throw notApplicable();
    // Values so deep that copying them takes the whole stack.
    if (error instanceof RangeError) throw badRequest("error decoding patch: json: exceeded max depth");
    if (error instanceof StrategicMergeError) {
      throw error.badRequest ? badRequest(error.message) : failure(500, "", error.message);
    }
    throw error;
  }
}
