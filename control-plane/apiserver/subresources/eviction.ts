import type { JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { POD_DISRUPTION_BUDGETS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import {
  type ApiError,
  badRequest,
  conflict,
  failure,
  invalid,
  isConflict,
  notFound,
  OBJECT_MODIFIED,
} from "../../../shared/api/status.ts";
import { decodeStored, encodeStored } from "../../../shared/api/stored-object.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import type { Pod, PodDisruptionBudget } from "../../../shared/api/types.ts";
import { valueAnswer } from "../answer.ts";
import { forget } from "../cluster-reader.ts";
import { clusterWriter } from "../cluster-writer.ts";
import { checkDeleteOptions, type UncheckedDeleteOptions, uncheckedFromBody } from "../delete-options.ts";
import { checkDeletePreconditions } from "../deletion.ts";
import { trackFields } from "../field-management.ts";
import { deleteOne } from "../handlers/delete-object.ts";
import { matchNamespace } from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import { parseWriteOptions } from "../query-options.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { readStored } from "../response-object.ts";
import { keyOf, storageOf, storeOf } from "../stores.ts";
import { strategyFor } from "../strategy/index.ts";
import { readTyped } from "../typed-body.ts";
import { isPastBudgets, mayIgnoreBudget, stillProcessed, useBudget } from "./disruption-budget.ts";
import { withDisruptionTarget } from "./disruption-target.ts";

const EVICTION_SCHEMA = "io.k8s.api.policy.v1.Eviction";
const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };
/** Tries to take from a budget, or to mark a pod, that others write too. */
const MAX_ATTEMPTS = 20;

/** `pods/<name>/eviction`: a delete that the pod's disruption budget may refuse, of a pod that says why it ends. */
export const createEviction: Handler = async (request) => {
  await evict(request, await parseEviction(request));
  return valueAnswer(
    201,
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    request.output,
  );
};

async function evict(request: ResourceRequest, options: UncheckedDeleteOptions): Promise<void> {
  let lost: unknown;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { deletion, budget } = await planEviction(request, options);
    try {
      await deleteMarked(request, deletion);
      return;
    } catch (error) {
      const isOwnCheck = deletion.resourceVersion !== options.resourceVersion;
      if (!isOwnCheck || !isConflict(error)) throw error;
      // The pod changed since it was judged: it may be ready by now, and then it does count.
      if (budget !== undefined) throw stillProcessed(budget);
      lost = error;
    }
  }
  throw lost;
}

/** @throws ApiError 400 and 422 for what is no Eviction of this pod */
async function parseEviction(request: ResourceRequest): Promise<UncheckedDeleteOptions> {
  const { call, info } = request;
  const { dryRun, fieldValidation } = parseWriteOptions(call.url.searchParams, "CreateOptions");
  const type = { ...EVICTION, schema: EVICTION_SCHEMA, alsoVersions: ["policy/v1beta1"] };
  const object = await readTyped(request, type, fieldValidation);
  const { metadata = { name: "" }, deleteOptions = {} } = object as unknown as Partial<Eviction>;
  matchNamespace({ metadata }, info.namespace);
  if (metadata.name !== info.name) throw badRequest("name in URL does not match name in Eviction object");
  checkUnsafe(deleteOptions, info.name);
  const asked = uncheckedFromBody(deleteOptions);
  if (!dryRun) return asked;
  const inQuery = call.url.searchParams.getAll("dryRun");
  if (asked.dryRun.length > 0 && asked.dryRun.join() !== inQuery.join()) {
    const both = `[${inQuery.join(" ")}] and [${asked.dryRun.join(" ")}]`;
    throw failure(500, "", `Non-matching dry-run options in request and content: ${both}`);
  }
  return { ...asked, dryRun: inQuery };
}

interface Eviction extends KubeObject {
  deleteOptions?: JsonObject;
}

const UNSAFE_OPTION = "ignoreStoreReadErrorWithClusterBreakingPotential";

function checkUnsafe(options: JsonObject, name: string): void {
  if (options[UNSAFE_OPTION] !== true) return;
  const message = "Invalid value: true: can not be set for pod eviction, try after removing the option";
  throw invalid(EVICTION, name, [{ reason: "FieldValueInvalid", field: `deleteOptions.${UNSAFE_OPTION}`, message }]);
}

/**
 * What to delete the pod with, after its budget was asked, and paid.
 * @returns the budget's name where the pod goes beside it
 * @throws ApiError 429 when the budget does not allow it
 */
async function planEviction(
  request: ResourceRequest,
  options: UncheckedDeleteOptions,
): Promise<{ deletion: UncheckedDeleteOptions; budget?: string }> {
  const { facts, info, context } = request;
  const stored = await storeFor(request).get(keyOf(info.namespace, info.name));
  if (!stored) throw notFound(groupResourceOf(request), info.name);
  const pod = readStored(facts, stored) as Pod;
  const asJudged = { ...options, resourceVersion: options.resourceVersion ?? String(stored.revision) };
  if (isPastBudgets(pod)) {
    // A pod that is about to start must still be pending when it goes.
    const mayStart = pod.status?.phase === "Pending" && !pod.metadata.deletionTimestamp;
    return { deletion: mayStart ? asJudged : options };
  }
  const writer = clusterWriter(context.env, context.cluster);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await budgetsOf(request, pod);
    if (found.length > 1) throw severalBudgets();
    const [current] = found;
    if (!current) return { deletion: options };
    if (mayIgnoreBudget(pod, current)) return { deletion: asJudged, budget: current.metadata.name };
    const used = useBudget(current, info.name, printTime(Date.now()));
    if (options.dryRun.length > 0) return { deletion: options };
    const isPaid = await writer.replaceStatus(POD_DISRUPTION_BUDGETS, current, used.status ?? {});
    if (isPaid) return { deletion: options };
  }
  throw failure(504, "Timeout", "couldn't update PodDisruptionBudget due to conflicts", { retryAfterSeconds: 10 });
}

/** The reason is missing in upstream's too. */
function severalBudgets(): ApiError {
  const why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  return failure(500, "", why);
}

/** The budgets that select the pod, as they are now: an eviction must not be judged by an old count. */
async function budgetsOf({ context, info }: ResourceRequest, pod: Pod): Promise<PodDisruptionBudget[]> {
  const store = storeOf(context.env, context.cluster, POD_DISRUPTION_BUDGETS);
  const found: PodDisruptionBudget[] = [];
  let after: string | undefined;
  let revision: number | undefined;
  do {
    const page = await store.list({ namespace: info.namespace, after, revision });
    if (!page.ok) throw new Error(`budgets of ${info.namespace}: ${page.reason}`);
    for (const stored of page.items) {
      const budget = decodeStored(stored.value, stored.revision) as PodDisruptionBudget;
      if (matchesLabelSelector(budget.spec.selector, pod.metadata.labels)) found.push(budget);
    }
    after = page.next;
    revision = page.revision;
  } while (after !== undefined);
  return found;
}

/** Options that are refused are so after the mark, as upstream has it: the pod keeps it. */
async function deleteMarked(request: ResourceRequest, options: UncheckedDeleteOptions): Promise<void> {
  const { name, namespace } = request.info;
  const deletion = options.dryRun.length > 0 ? options : await mark(request, options);
  await deleteOne(request, { name, namespace, options: checkDeleteOptions(deletion) });
}

/**
 * Puts the condition DisruptionTarget on the pod: jobs look for it when they judge a pod's failure (KEP-3329).
 * @returns the options for the deletion; a resourceVersion that was asked for, and was right, has become the new one
 */
async function mark(request: ResourceRequest, options: UncheckedDeleteOptions): Promise<UncheckedDeleteOptions> {
  const { facts, info, context } = request;
  const store = storeFor(request);
  const key = keyOf(info.namespace, info.name);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.get(key);
    if (!stored) throw notFound(groupResourceOf(request), info.name);
    const old = readStored(facts, stored);
    checkDeletePreconditions(facts, old, options);
    const pod = withDisruptionTarget(copyJson(old), printTime(Date.now()));
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
