import type { Json, JsonObject } from "../../../shared/api/json.ts";
import { explainBadJson } from "../../../shared/api/json-syntax.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, conflict, failure, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { duplicateFields, inStructOrder, resolve } from "../../../shared/schema/index.ts";
import type { Answer } from "../call.ts";
import { fromStored } from "../conversion/index.ts";
import { matchName } from "../object-metadata.ts";
import { applyPatch, type ParsedPatch, type PatchLanguage, parsePatch, patchLanguageOf } from "../patch/index.ts";
import { parseJsonPatchText } from "../patch/json-patch-text.ts";
import { decodePatchedObject } from "../patch/patched-object.ts";
import { parsePatchOptions, type WriteOptions } from "../query-options.ts";
import { completeObject } from "../resource-body.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
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
  const parse = await readPatchText(request);
  const gr = groupResourceOf(request);
  let parsed: ReadPatch | undefined;
  for await (const _ of attempts(request)) {
    const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
    if (!stored) throw notFound(gr, info.name);
    // Only when there is something to patch is the patch looked at.
    parsed ??= parse();
    const patch = parsed;
    const old = readStored(facts, stored);
    // A view shares parts with what it shows: the conversion gets a copy.
    const current = facts.storedAs ? fromStored(facts, structuredClone(old)) : old;
    const shown = { ...current, ...typeOf(old) };
    const value = patchValue(patch.parsed, shown, facts.schema);
    // Go's encoder writes a struct's fields as they are declared; messages quote what it wrote.
    const quoted = () => patchValue(patch.parsed, ordered(shown, facts.schema), facts.schema);
    const object = decodePatched(request, { value, quoted }, patch, options);
    matchName(object, info.name);
    const outcome = await writeUpdate(request, { object, old, stored, part, dryRun: options.dryRun });
    if (outcome) return updateAnswer(request, outcome);
  }
  throw conflict(gr, info.name, OBJECT_MODIFIED);
}

const typeOf = ({ apiVersion, kind }: KubeObject) => ({ apiVersion, kind });

const ordered = (object: KubeObject, schema: string): KubeObject =>
  inStructOrder(schema, object as unknown as JsonObject) as unknown as KubeObject;

/** @param schema the schema's name in Definitions */
export const patchValue = (parsed: ParsedPatch, current: KubeObject, schema: string): Json =>
  applyPatch(parsed, current, { $ref: schema }, { resolve });

export interface ReadPatch {
  parsed: ParsedPatch;
  /** Fields that the patch's text sets twice. */
  duplicates: string[];
}

function parsePatchText(text: string, language: PatchLanguage): Json {
  try {
    return language === "json" ? parseJsonPatchText(text) : (JSON.parse(text) as Json);
  } catch {
    const why = explainBadJson(text);
    throw badRequest(language === "strategic" ? why : `error decoding patch: ${why}`);
  }
}

/** @throws ApiError 415 for what is no patch, 400 for one that cannot be read */
export const readPatch = async (request: ResourceRequest): Promise<ReadPatch> => (await readPatchText(request))();

const strictErrorsOf = (unknownFields: string[], duplicates: string[]): string[] => [
  ...unknownFields,
  ...duplicates.map((duplicate) => `json patch ${duplicate}`),
];

/** The body, and the reading of it for when it is wanted. */
async function readPatchText({ call }: ResourceRequest): Promise<() => ReadPatch> {
  const contentType = call.headers.get("content-type") ?? "";
  // The router refuses what is not one of the four, letter for letter.
  const language = /[A-Z]/.test(contentType.split(";", 1)[0]!) ? undefined : patchLanguageOf(contentType);
  if (!language) throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  if (language === "apply") throw badRequest("server-side apply is not supported on this subresource");
  const text = await call.body();
  return () => {
    const value = parsePatchText(text, language);
    const duplicates = duplicateFields(text, value);
    const parsed = parsePatch(language, value);
    return {
      parsed,
      duplicates: parsed.language === "json" ? strictErrorsOf(parsed.unknownFields, duplicates) : duplicates,
    };
  };
}

/** Its kind and version are the request's again, whatever the patch made of them. */
function decodePatched(
  request: ResourceRequest,
  patched: { value: Json; quoted: () => Json },
  { parsed, duplicates }: ReadPatch,
  { fieldValidation }: WriteOptions,
): KubeObject {
  const decoded = decodePatchedObject({
    facts: request.facts,
    parsed,
    ...patched,
    fieldValidation,
    strictErrors: fieldValidation === "Ignore" ? [] : duplicates,
  });
  request.warnings.push(...decoded.unknownFields);
  return { ...completeObject(decoded.facts, decoded.object), ...typeMetaOf(request.facts) };
}
