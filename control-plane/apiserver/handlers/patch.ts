import type { Json, JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, conflict, failure, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { fieldSchema, type ResourceFacts, resolve, schemaOf } from "../../../shared/schema/index.ts";
import type { Answer } from "../call.ts";
import { checkTypeMeta, expectedKindOf, parseBody } from "../decode.ts";
import { matchName } from "../object-metadata.ts";
import { applyPatch, PATCH_CONTENT_TYPES, type ParsedPatch, parsePatch, patchLanguageOf } from "../patch/index.ts";
import { parseWriteOptions } from "../query-options.ts";
import { completeObject } from "../resource-body.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf } from "../stores.ts";
import { MAX_ATTEMPTS } from "./update.ts";
import { type UpdatePart, writeUpdate } from "./update-object.ts";
import { mainPart, statusPart } from "./update-parts.ts";

export const patchObject: Handler = (request) => patchPart(request, mainPart(request.facts));
export const patchStatus: Handler = (request) => patchPart(request, statusPart(request.facts));

/** PATCH of one part of an object: read, apply, write; again from the start when another write came first. */
export async function patchPart(request: ResourceRequest, part: UpdatePart): Promise<Answer> {
  const { info, facts, call } = request;
  const options = parseWriteOptions(call.url.searchParams, "PatchOptions");
  const parsed = await readPatch(request);
  const gr = groupResourceOf(request);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
    if (!stored) throw notFound(gr, info.name);
    const old = readStored(facts, stored);
    const patched = applyPatch(parsed, old, schemaOf(facts.schema), mergeSchema);
    const object = decodePatched(request, patched);
    matchName(object, info.name);
    const answer = await writeUpdate(request, { object, old, stored, part, dryRun: options.dryRun });
    if (answer) return answer;
  }
  throw conflict(gr, info.name, OBJECT_MODIFIED);
}

const mergeSchema = { fieldSchema, resolve };

/** @throws ApiError 415 for what is no patch, 400 for one that cannot be read */
export async function readPatch({ call, facts }: ResourceRequest): Promise<ParsedPatch> {
  const contentType = call.headers.get("content-type") ?? "";
  const language = patchLanguageOf(contentType);
  if (!language) {
    throw failure(
      415,
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${PATCH_CONTENT_TYPES.join(", ")}`,
    );
  }
  if (language === "apply") throw badRequest("server-side apply is not supported by this server yet");
  return parsePatch(language, parseBody(await call.body(), "application/json", facts.kind));
}

/** What a patch made of the object may be no object of the kind any more. */
function decodePatched(request: ResourceRequest, patched: Json): KubeObject {
  const object = checkTypeMeta(patched, expectedKindOf(request.facts), "");
  return completeObject(request.facts as ResourceFacts, object as unknown as JsonObject);
}
