import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, conflict, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { encodeStored } from "../../../shared/api/stored-object.ts";
import { valueAnswer } from "../answer.ts";
import { forget } from "../cluster-reader.ts";
import { checkTypeMeta, parseBody } from "../decode.ts";
import { type DeleteOptions, fromBody } from "../delete-options.ts";
import { checkDeletePreconditions } from "../deletion.ts";
import { trackFields } from "../field-management.ts";
import { deleteOne } from "../handlers/delete-object.ts";
import { copyJson, rfc3339 } from "../object-text.ts";
import { parseWriteOptions } from "../query-options.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf, storageOf } from "../stores.ts";
import { strategyFor } from "../strategy/index.ts";
import { withDisruptionTarget } from "./disruption-target.ts";

const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };
const MAX_ATTEMPTS = 5;

/**
 * `pods/<name>/eviction`: a delete that may be refused, of a pod that says why it ends. Budgets are not asked yet:
 * nothing keeps their status up to date before there is a disruption controller.
 */
export const createEviction: Handler = async (request) => {
  const { call, info } = request;
  const { dryRun } = parseWriteOptions(call.url.searchParams, "CreateOptions");
  const text = await call.body("Eviction");
  const value = parseBody(text, call.headers.get("content-type"), "Eviction");
  const eviction = checkTypeMeta(value, EVICTION, text, ["policy/v1beta1"]) as KubeObject & { deleteOptions?: unknown };
  if (eviction.metadata.name && eviction.metadata.name !== info.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const asked = fromBody(eviction.deleteOptions ?? {});
  const options = { ...asked, dryRun: dryRun || asked.dryRun };
  const { name, namespace } = info;
  await deleteOne(request, { name, namespace, options: options.dryRun ? options : await mark(request, options) });
  return valueAnswer(
    201,
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    request.output,
  );
};

/**
 * Puts the condition DisruptionTarget on the pod: jobs look for it when they judge a pod's failure (KEP-3329).
 * @returns the options for the deletion; a resourceVersion that was asked for, and was right, has become the new one
 */
async function mark(request: ResourceRequest, options: DeleteOptions): Promise<DeleteOptions> {
  const { facts, info, context } = request;
  const store = storeFor(request);
  const key = keyOf(info.namespace, info.name);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.get(key);
    if (!stored) throw notFound(groupResourceOf(request), info.name);
    const old = readStored(facts, stored);
    checkDeletePreconditions(facts, old, options);
    const pod = withDisruptionTarget(copyJson(old), rfc3339(Date.now()));
    if (!pod) return options;
    trackFields(request, old, pod);
    const fields = strategyFor(storageOf(facts)).fields?.(pod) ?? {};
    const result = await store.write({
      op: "update",
      key,
      expectRevision: stored.revision,
      value: encodeStored(pod),
      attributes: { labels: pod.metadata.labels ?? {}, fields },
    });
    forget(context.cluster, storageOf(facts), key);
    if (!result.ok) continue;
    return options.resourceVersion === undefined ? options : { ...options, resourceVersion: String(result.revision) };
  }
  throw conflict(groupResourceOf(request), info.name, OBJECT_MODIFIED);
}
