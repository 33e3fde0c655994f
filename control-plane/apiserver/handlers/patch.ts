import { invalidValue } from "../../../shared/api/field-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import { explainBadJson } from "../../../shared/api/json-syntax.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { type ApiError, badRequest, conflict, failure, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { decodeObject, duplicateFields, resolve, schemaOf, strictDecodingError } from "../../../shared/schema/index.ts";
import type { Answer } from "../call.ts";
import { fromStored } from "../conversion/index.ts";
import { checkTypeMeta, expectedKindOf } from "../decode.ts";
import { matchName } from "../object-metadata.ts";
import { printGo } from "../patch/go-print.ts";
import { applyPatch, type ParsedPatch, type PatchLanguage, parsePatch, patchLanguageOf } from "../patch/index.ts";
import { parsePatchOptions, type WriteOptions } from "../query-options.ts";
import { completeObject } from "../resource-body.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf } from "../stores.ts";
import { applyPart } from "./apply.ts";
import { attempts } from "./attempts.ts";
import { type UpdatePart, updateAnswer, writeUpdate } from "./update-object.ts";
import { mainPart, statusPart } from "./update-parts.ts";

export const patchObject: Handler = (request) => patchPart(request, mainPart(request.facts));
export const patchStatus: Handler = (request) => patchPart(request, statusPart(request.facts));

/** PATCH of one part of an object: read, apply, write; again from the start when another write came first. */
export async function patchPart(request: ResourceRequest, part: UpdatePart): Promise<Answer> {
  const { info, facts, call } = request;
  const isApply = patchLanguageOf(call.headers.get("content-type") ?? "") === "apply";
  const options = parsePatchOptions(call.url.searchParams, isApply);
  if (isApply) return applyPart(request, part, options);
  const patch = await readPatch(request);
  const gr = groupResourceOf(request);
  for await (const _ of attempts(request)) {
    const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
    if (!stored) throw notFound(gr, info.name);
    const old = readStored(facts, stored);
    // A view shares parts with what it shows: the conversion gets a copy.
    const current = facts.storedAs ? fromStored(facts, structuredClone(old)) : old;
    const patched = patchValue(patch.parsed, { ...current, ...typeOf(old) }, facts.schema);
    const object = decodePatched(request, patched, patch, options);
    matchName(object, info.name);
    const outcome = await writeUpdate(request, { object, old, stored, part, dryRun: options.dryRun });
    if (outcome) return updateAnswer(request, outcome);
  }
  throw conflict(gr, info.name, OBJECT_MODIFIED);
}

const typeOf = ({ apiVersion, kind }: KubeObject) => ({ apiVersion, kind });

/** @param schema the schema's name in Definitions */
export const patchValue = (parsed: ParsedPatch, current: KubeObject, schema: string): Json =>
  applyPatch(parsed, current, schemaOf(schema), { resolve });

export interface ReadPatch {
  parsed: ParsedPatch;
  /** Fields that the patch's text sets twice. */
  duplicates: string[];
}

function parsePatchText(text: string, language: PatchLanguage): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const why = explainBadJson(text);
    throw badRequest(language === "strategic" ? why : `error decoding patch: ${why}`);
  }
}

/** @throws ApiError 415 for what is no patch, 400 for one that cannot be read */
export async function readPatch({ call }: ResourceRequest): Promise<ReadPatch> {
  const contentType = call.headers.get("content-type") ?? "";
  // The router refuses what is not one of the four, letter for letter.
  const language = /[A-Z]/.test(contentType.split(";", 1)[0]!) ? undefined : patchLanguageOf(contentType);
  if (!language) throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  if (language === "apply") throw badRequest("server-side apply is not supported on this subresource");
  const text = await call.body();
  const value = parsePatchText(text, language);
  const duplicates = duplicateFields(text, value);
  const parsed = parsePatch(language, value);
  return { parsed, duplicates: parsed.language === "json" ? parsed.unknownFields : duplicates };
}

/**
 * What a patch made of the object may be no object of the kind any more.
 * @throws ApiError 422 that quotes what came out, as upstream does
 */
function decodePatched(
  request: ResourceRequest,
  patched: Json,
  { parsed, duplicates }: ReadPatch,
  { fieldValidation }: WriteOptions,
): KubeObject {
  const { facts, warnings } = request;
  const rejected = (why: string): ApiError => {
    const cause = invalidValue("patch", quotable(parsed, patched), why);
    // Upstream names no object here.
    return failure(422, "Invalid", ` "" is invalid: patch: ${cause.message}`, { causes: [cause] });
  };
  let decoded: ReturnType<typeof decodeObject>;
  try {
    checkTypeMeta(patched, expectedKindOf(facts), () => JSON.stringify(patched));
    decoded = decodeObject(facts.schema, patched, fieldValidation === "Ignore" ? "Ignore" : "Warn", duplicates);
  } catch (error) {
    throw rejected(reasonOf(error));
  }
  const { object, unknownFields } = decoded;
  if (fieldValidation === "Strict" && unknownFields.length > 0) throw rejected(strictDecodingError(unknownFields));
  for (const field of unknownFields) warnings.push(field);
  return completeObject(facts, object);
}

/** The decoder's reason without its introduction, which names a body. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  return error.message.replace(/^.* cannot be handled as a [^:]*: /, "");
}

/** A JSON or merge patch is quoted by its result, a strategic one by itself as Go prints it. */
function quotable(parsed: ParsedPatch, patched: Json): string {
  if (parsed.language === "strategic") return printGo(parsed.patch);
  if (!isJsonObject(patched)) return JSON.stringify(patched);
  const { metadata } = patched;
  if (!isJsonObject(metadata)) return JSON.stringify(sorted(patched));
  return JSON.stringify(
    sorted({ ...patched, metadata: touchesMetadata(parsed) ? sorted(metadata) : inGoOrder(metadata) }),
  );
}

/** What a patch goes into is read, and written again by its keys. */
const touchesMetadata = (parsed: ParsedPatch): boolean =>
  parsed.language === "json"
    ? parsed.operations.some(({ path }) => path?.startsWith("/metadata/"))
    : "metadata" in parsed.patch;

const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Go's encoder writes a struct's fields as they are declared; the version comes last when an object is read here. */
function inGoOrder({ name, generateName, namespace, uid, resourceVersion, ...rest }: JsonObject): JsonObject {
  return { name, generateName, namespace, uid, resourceVersion, ...rest } as JsonObject;
}
