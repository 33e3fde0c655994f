import type { Json, JsonObject } from "../../shared/api/json.ts";
import { decodeObject, type FieldValidation, keepRepeatedKeys } from "../../shared/schema/index.ts";
import { checkTypeMeta, type ExpectedKind, parseBody } from "./decode.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { explainDuplicateKeys } from "./yaml/index.ts";

/** What a body has to be: the resource's own kind, or a subresource's. */
export interface BodyType extends ExpectedKind {
  /** The schema's name in Definitions. */
  schema: string;
  /** Other versions of the kind that are taken as if they were this one. */
  alsoVersions?: readonly string[];
}

/**
 * The object in a request's body, decoded and no more than that. Unknown and repeated fields become warnings, or an
 * error in Strict mode.
 * @throws ApiError 400 for what is not of the kind, 415 for a type that cannot be read
 */
export async function readTyped(
  { call, warnings }: Pick<ResourceRequest, "call" | "warnings">,
  { group, version, kind, schema, alsoVersions }: BodyType,
  fieldValidation: FieldValidation,
): Promise<JsonObject> {
  const text = await call.body(kind);
  const contentType = call.headers.get("content-type");
  const parsed = parseBody(text, contentType, kind);
  const isYaml = contentType?.includes("yaml") ?? false;
  const value = isYaml ? parsed : keepRepeatedKeys(text, parsed);
  const duplicates = isYaml && fieldValidation !== "Ignore" ? duplicatesInYaml(text, fieldValidation) : [];
  checkTypeMeta(value, { group, version, kind }, text, alsoVersions);
  const { object, unknownFields } = decodeObject(schema, orEmpty(value), fieldValidation, duplicates);
  for (const field of unknownFields) warnings.push(field);
  return object;
}

/** Upstream's text has several lines: one error in Strict mode, a warning each otherwise. */
function duplicatesInYaml(text: string, fieldValidation: "Warn" | "Strict"): string[] {
  const explained = explainDuplicateKeys(text);
  if (explained === undefined) return [];
  const [, ...lines] = explained.split("\n");
  return fieldValidation === "Strict" ? [explained] : lines.map((line) => line.trim());
}

/** `null` is an object without a field. */
const orEmpty = (value: Json): Json => value ?? {};
