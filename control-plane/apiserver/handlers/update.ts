import type { KubeObject } from "../../../shared/api/object.ts";
import { conflict, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { require } from "../authz/index.ts";
import type { Answer } from "../call.ts";
import { matchName } from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import { parseWriteOptions } from "../query-options.ts";
import { readObject } from "../resource-body.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf, storageOf } from "../stores.ts";
import { strategyFor } from "../strategy/index.ts";
import { attempts } from "./attempts.ts";
import { createFrom } from "./create.ts";
import { type UpdatePart, updateAnswer, writeUpdate, wrongUid } from "./update-object.ts";
import { mainPart, statusPart } from "./update-parts.ts";

export const updateObject: Handler = (request) => updatePart(request, mainPart(request.facts));
export const updateStatus: Handler = (request) => updatePart(request, statusPart(request.facts));

/** PUT of one part of an object. */
export async function updatePart(request: ResourceRequest, part: UpdatePart): Promise<Answer> {
  const { info } = request;
  const options = parseWriteOptions(request.call.url.searchParams, "UpdateOptions");
  const wanted = await readObject(request, options);
  matchName(wanted, info.name);
  const gr = groupResourceOf(request);
  for await (const _ of attempts(request)) {
    const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
    if (!stored) {
      if (!isMadeByUpdate(request)) throw notFound(gr, info.name);
      return createByUpdate(request, wanted, options);
    }
    const old = readStored(request.facts, stored);
    const update = { object: copyJson(wanted), old, stored, part, dryRun: options.dryRun, checksUid: true };
    const outcome = await writeUpdate(request, update);
    if (outcome) return updateAnswer(request, outcome);
    // Who named a resourceVersion wants to know of the other write.
    if (hasRevision(wanted)) throw conflict(gr, info.name, OBJECT_MODIFIED);
  }
  throw conflict(gr, info.name, OBJECT_MODIFIED);
}

/** Whether the kind may be made by a PUT; by one of its status as well, as upstream has it. */
export const isMadeByUpdate = ({ facts, info }: ResourceRequest): boolean =>
  (info.subresource === "" || info.subresource === "status") &&
  strategyFor(storageOf(facts)).allowCreateOnUpdate === true;

const hasRevision = ({ metadata }: KubeObject) =>
  metadata.resourceVersion !== undefined && metadata.resourceVersion !== "" && metadata.resourceVersion !== "0";

async function createByUpdate(
  request: ResourceRequest,
  object: KubeObject,
  options: ReturnType<typeof parseWriteOptions>,
): Promise<Answer> {
  const { name, uid } = object.metadata;
  if (uid) throw conflict(groupResourceOf(request), name, wrongUid(request, uid, ""));
  await require({ ...request.info, verb: "create", user: request.context.user }, request.context);
  delete object.metadata.resourceVersion;
  return createFrom(request, object, options);
}
