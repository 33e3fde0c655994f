import { isJsonObject, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, conflict, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { decodeObject, resolve, schemaOf } from "../../../shared/schema/index.ts";
import { require } from "../authz/index.ts";
import type { Answer } from "../call.ts";
import { fromStored } from "../conversion/index.ts";
import { goKind } from "../decode-error.ts";
import { ignoredFields, inVersionOf, managerOf } from "../field-management.ts";
import { trackApply } from "../managed-fields/index.ts";
import { matchName } from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import type { PatchOptions } from "../query-options.ts";
import { completeObject } from "../resource-body.ts";
import { groupResourceOf, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf } from "../stores.ts";
import { explainBadYaml, parseYaml } from "../yaml/index.ts";
import { attempts } from "./attempts.ts";
import { createFrom } from "./create.ts";
import { type UpdatePart, updateAnswer, writeUpdate } from "./update-object.ts";

/** Server-side apply (KEP-555): an object that is not there is made. */
export async function applyPart(request: ResourceRequest, part: UpdatePart, options: PatchOptions): Promise<Answer> {
  const { info, facts, call } = request;
  const config = parseConfig(await call.body());
  const gr = groupResourceOf(request);
  for await (const _ of attempts(request)) {
    const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
    if (!stored) {
      if (info.subresource) throw notFound(gr, info.name);
      return createByApply(request, merge(request, undefined, config, options), options);
    }
    const old = readStored(facts, stored);
    const object = merge(request, old, config, options);
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
  const { object } = decodeObject(facts.schema, { ...merged, ...typeMetaOf(facts) }, "Ignore");
  const complete = completeObject(facts, object);
  matchName(complete, info.name);
  return complete;
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
  delete object.metadata.resourceVersion;
  return createFrom(request, object, options, { isTracked: true });
}

/** The first document of the body. @throws ApiError 400 for what is no YAML mapping */
export function parseConfig(text: string): JsonObject {
  let value: unknown;
  try {
    const [first = ""] = text.split(/^---$/m).filter((document) => document.trim() !== "");
    value = parseYaml(first);
  } catch (error) {
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${explainBadYaml(error)}`);
  }
  if (value === null || value === undefined) throw badRequest("invalid object type: /, Kind=");
  if (!isJsonObject(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  return value;
}
