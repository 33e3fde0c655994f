import type { JsonObject } from "../../../shared/api/json.ts";
import type { KubeList, KubeObject } from "../../../shared/api/object.ts";
import { ApiError, badRequest, expired } from "../../../shared/api/status.ts";
import { renderStored } from "../../../shared/api/stored-object.ts";
import { encodeProtobufList } from "../../../shared/schema/index.ts";
import {
  decodeContinue,
  encodeContinue,
  type ListRequest,
  openList,
  type Selection,
  type StoredValue,
} from "../../storage/index.ts";
import { jsonAnswer, protobufAnswer, valueAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { fromStored } from "../conversion/index.ts";
import { mayHoldDerivedLeases, overlayLeases } from "../lease-renewal.ts";
import { type ListOptions, parseListOptions } from "../list-options.ts";
import { type Handler, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
import { badListVersion, parseRevision, tooLargeVersion } from "../resource-version.ts";
import { isPlain, readStored, showsVersion, transformList } from "../response-object.ts";
import { parseSelection, selects } from "../selection.ts";

const LIST_EXPIRED = "The resourceVersion for the provided list is too old.";
const CONTINUE_EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

export const listObjects: Handler = async (request) => {
  const query = request.call.url.searchParams;
  const options = parseListOptions(query, false);
  const selection = parseSelection(request.facts, request.info, query);
  const where = await positionOf(request, options);
  const raw = isPlain(request) && !request.facts.storedAs && !mayHoldDerivedLeases(request);
  const isProtobuf = request.output.format === "protobuf" && !request.output.as;
  const limit = limitOf(options);
  if (raw && limit === undefined && where.after === undefined) {
    return streamWhole(request, { ...selection, ...where });
  }
  const page = await readPages(request, { ...selection, ...where }, { limit });
  const metadata = listMetadata(page, selection);
  if (raw) return jsonAnswer(200, renderList(request, metadata, page.items));
  if (isProtobuf && !mayHoldDerivedLeases(request)) return protobufList(request, metadata, page.items);
  const items = page.items.map((item) => readItem(request, item));
  await overlayLeases(request, items);
  return renderObjects(request, metadata, items);
};

function listMetadata({ revision, next, remaining }: Page, selection: Selection): KubeList["metadata"] {
  return {
    resourceVersion: String(revision),
    ...(next === undefined ? {} : { continue: encodeContinue({ revision, after: next }) }),
    ...(next !== undefined && remaining !== undefined && !selects(selection) ? { remainingItemCount: remaining } : {}),
  };
}

/** What a list with these options has, parsed, in the stored form: for deletecollection. */
export async function readSelected(
  request: ResourceRequest,
  options: ListOptions,
  selection: Selection,
): Promise<{ metadata: KubeList["metadata"]; items: KubeObject[] }> {
  const where = await positionOf(request, options);
  const page = await readPages(request, { ...selection, ...where }, { limit: limitOf(options) });
  const items = page.items.map((item) => readStored(request.facts, item));
  return { metadata: listMetadata(page, selection), items };
}

const listTypeMeta = (request: ResourceRequest) => {
  const { apiVersion, kind } = typeMetaOf(request.facts);
  return { apiVersion, kind: `${kind}List` };
};

/** Items of a list carry no typeMeta. */
function readItem(request: ResourceRequest, item: StoredValue): KubeObject {
  const { facts } = request;
  const stored = readStored(facts, item);
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    ...object
  } = showsVersion(request) ? fromStored(facts, stored) : stored;
  return object;
}

function renderObjects(request: ResourceRequest, metadata: KubeList["metadata"], items: KubeObject[]): Answer {
  const { output, facts } = request;
  if (!output.as) return valueAnswer(200, { ...listTypeMeta(request), metadata, items }, output);
  const typed = items.map((item) => ({ ...typeMetaOf(facts), ...item }));
  return valueAnswer(200, transformList(request, { metadata, items: typed }), output);
}

function protobufList(request: ResourceRequest, metadata: KubeList["metadata"], items: StoredValue[]): Answer {
  const head = { ...listTypeMeta(request), metadata: { ...metadata } };
  return protobufAnswer(200, encodeProtobufList(head, parseOneByOne(request, items)));
}

function* parseOneByOne(request: ResourceRequest, items: StoredValue[]): Iterable<JsonObject> {
  for (const item of items) yield readItem(request, item) as unknown as JsonObject;
}

function renderList(request: ResourceRequest, metadata: KubeList["metadata"], items: StoredValue[]): string {
  const { kind, apiVersion } = listTypeMeta(request);
  const head = JSON.stringify({ kind, apiVersion, metadata });
  const texts = items.map(({ value, revision }) => renderStored(value, revision, undefined));
  return `${head.slice(0, -1)},"items":[${texts.join(",")}]}\n`;
}

/** The store renders and streams the body; nothing is read here. */
async function streamWhole(request: ResourceRequest, list: ListRequest): Promise<Answer> {
  const opened = await openList(storeFor(request), { ...list, typeMeta: listTypeMeta(request) });
  if (opened.ok) return jsonAnswer(200, opened.body);
  throw listError(opened, list);
}

interface Page {
  revision: number;
  items: StoredValue[];
  next?: string;
  remaining?: number;
}

/** As many items as are wanted, from one snapshot, in replies of bounded size. */
async function readPages(
  request: ResourceRequest,
  list: ListRequest,
  { limit }: Pick<ListOptions, "limit">,
): Promise<Page> {
  const store = storeFor(request);
  const items: StoredValue[] = [];
  let { revision, after } = list;
  for (;;) {
    const rest = limit === undefined ? undefined : limit - items.length;
    const reply = await store.list({ ...list, revision, after, limit: rest });
    if (!reply.ok) throw listError(reply, list);
    items.push(...reply.items);
    const isFull = limit !== undefined && items.length >= limit;
    if (reply.next === undefined || isFull) {
      return { revision: reply.revision, items, next: reply.next, remaining: reply.remaining };
    }
    revision = reply.revision;
    after = reply.next;
  }
}

/**
 * Which snapshot, and from where on.
 * @throws ApiError 400 for a token or version that cannot be read, 504 for a version that is yet to come
 */
async function positionOf(
  request: ResourceRequest,
  options: ListOptions,
): Promise<{ revision?: number; after?: string }> {
  const { continue: token, resourceVersion, resourceVersionMatch } = options;
  if (token !== "") {
    const continuation = decodeContinue(token);
    if ("error" in continuation) throw badRequest(`invalid continue token: ${continuation.error}`);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    return continuation;
  }
  const revision = parseRevision(resourceVersion, badListVersion);
  if (revision === undefined) return {};
  const current = await storeFor(request).currentRevision();
  if (revision > current) throw tooLargeVersion(resourceVersion, current);
  // A version with a limit and no match means that very version (upstream's older meaning of paging).
  const exact = resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && options.limit !== undefined);
  return exact ? { revision } : {};
}

/** "0" asks for whatever is at hand: upstream's cache gives it whole. */
const limitOf = ({ limit, resourceVersion }: ListOptions) => (resourceVersion === "0" ? undefined : limit);

function listError(refused: { reason: string; newest?: number }, list: ListRequest) {
  if (refused.reason === "expired")
    return list.after === undefined ? expired(LIST_EXPIRED) : continueExpired(list.after);
  if (refused.reason === "future") return tooLargeVersion(String(list.revision ?? 0), refused.newest ?? 0);
  return new Error(`list of ${JSON.stringify(list)}: ${refused.reason}`);
}

/** The error has a token that goes on from the newest state, for clients that would rather have it so. */
function continueExpired(after: string): ApiError {
  const { status } = expired(CONTINUE_EXPIRED);
  return new ApiError({ ...status, metadata: { continue: encodeContinue({ after }) } });
}
