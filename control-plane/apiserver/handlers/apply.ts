import { isJsonObject, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, conflict, failure, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { decodeObject, type FieldValidation, resolve, schemaOf } from "../../../shared/schema/index.ts";
import { require } from "../authz/index.ts";
import type { Answer } from "../call.ts";
import { fromStored } from "../conversion/index.ts";
import { goKind } from "../decode-error.ts";
import { ignoredFields, inVersionOf, managerOf } from "../field-management.ts";
import { printConfig, printKind, trackApply } from "../managed-fields/index.ts";
import { matchName } from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import type { PatchOptions } from "../query-options.ts";
import { completeObject } from "../resource-body.ts";
import { groupResourceOf, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf } from "../stores.ts";
import { explainBadYaml, explainDuplicateKeys, parseYaml } from "../yaml/index.ts";
import { attempts } from "./attempts.ts";
import { createFrom } from "./create.ts";
import { isMadeByUpdate } from "./update.ts";
import { type UpdatePart, updateAnswer, writeUpdate } from "./update-object.ts";

/** Server-side apply (KEP-555): an object that is not there is made. */
export async function applyPart(request: ResourceRequest, part: UpdatePart, options: PatchOptions): Promise<Answer> {
  const { info, facts, call } = request;
  const text = await call.body();
  const config = parseConfig(text);
  const gr = groupResourceOf(request);
  for await (const _ of attempts(request)) {
    const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
    if (!stored) {
      // The status of a kind that an update may create is upstream's way in as well; what comes of it has none.
      if (info.subresource && !isMadeByUpdate(request)) throw notFound(gr, info.name);
      const created = merge(request, undefined, config, options);
      checkDuplicates(request, text, options.fieldValidation);
      return createByApply(request, created, options);
    }
    const old = readStored(facts, stored);
    const object = merge(request, old, config, options);
    checkDuplicates(request, text, options.fieldValidation);
    const outcome = await writeUpdate(request, { object, old, stored, part, dryRun: options.dryRun, isTracked: true });
    if (outcome) return updateAnswer(request, outcome);
  }
  throw conflict(gr, info.name, OBJECT_MODIFIED);
}

/** The live object with the applied configuration laid over it, in the stored form, its managers noted. */
function merge(
  request: ResourceRequest,
  old: KubeObject | undefined,
  config: JsonObject,
  { force }: PatchOptions,
): KubeObject {
  const { facts, info, call } = request;
  const live = old && facts.storedAs ? fromStored(facts, copyJson(old)) : old;
  const merged = trackApply({
    live,
    config: copyJson(config),
    schema: schemaOf(facts.schema),
    schemaName: facts.schema,
    resolve,
    manager: managerOf(call),
    ...typeMetaOf(facts),
    ...(info.subresource ? { subresource: info.subresource } : {}),
    force,
    inVersion: inVersionOf(facts),
    ignored: ignoredFields(request),
    nowMs: Date.now(),
  });
  const complete = completeObject(facts, decodeMerged(request, merged, config));
  matchName(complete, info.name);
  return complete;
}

/** @throws ApiError 500, as upstream answers, for values that only Go's types refuse: times, quantities, bytes */
function decodeMerged({ facts }: ResourceRequest, merged: JsonObject, config: JsonObject): JsonObject {
  const typeMeta = typeMetaOf(facts);
  try {
    return decodeObject(facts.schema, { ...merged, ...typeMeta }, "Ignore", [], "map").object;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = error.message.replace(/^.* cannot be handled as a [^:]*: /, "");
    throw failure(
      500,
      "",
      `failed to convert new object (${printConfig(config, typeMeta)}) to proper version: unable to convert unstructured object to ${printKind(typeMeta)}: ${why}`,
    );
  }
}

async function createByApply(request: ResourceRequest, object: KubeObject, options: PatchOptions): Promise<Answer> {
  const { uid, name } = object.metadata;
  if (uid) {
    throw conflict(
      groupResourceOf(request),
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  await require({ ...request.info, verb: "create", user: request.context.user }, request.context);
  if (!options.dryRun) delete object.metadata.resourceVersion;
  return createFrom(request, object, options, { isTracked: true });
}

/**
 * Tells of keys that the text sets twice, after all else that an apply is refused for.
 * @throws ApiError 400 in Strict mode
 */
export function checkDuplicates({ warnings }: ResourceRequest, text: string, fieldValidation: FieldValidation): void {
  const explained = fieldValidation === "Ignore" ? undefined : explainDuplicateKeys(firstDocument(text));
  if (explained === undefined) return;
  if (fieldValidation === "Strict") {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${explained}`);
  }
  const [, ...lines] = explained.split("\n");
  warnings.push(...lines.map((line) => line.trim()));
}

const firstDocument = (text: string): string => text.split(/^---$/m).find((document) => document.trim() !== "") ?? "";

/** The first document of the body. @throws ApiError 400 for what is no YAML mapping */
export function parseConfig(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseYaml(firstDocument(text));
  } catch (error) {
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: ${explainBadYaml(error, firstDocument(text))}`,
    );
  }
  if (value === null || value === undefined) throw badRequest("invalid object type: /, Kind=");
  if (!isJsonObject(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  return value;
}
