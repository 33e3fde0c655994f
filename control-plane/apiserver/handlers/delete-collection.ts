import type { KubeObject } from "../../../shared/api/object.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import { valueAnswer } from "../answer.ts";
import { fromStored } from "../conversion/index.ts";
import { parseDeleteOptions } from "../delete-options.ts";
import { type ListOptions, parseListOptions } from "../list-options.ts";
import { type Handler, typeMetaOf } from "../resource-request.ts";
import { transformList } from "../response-object.ts";
import { parseSelection } from "../selection.ts";
import { deleteOne } from "./delete-object.ts";
import { readSelected } from "./list.ts";

/** Deletes at a time: the store commits what arrives together in one go. */
const CONCURRENCY = 32;

/** Deletes what is selected, one by one; answers with the list of what was there. */
export const deleteCollection: Handler = async (request) => {
  const { call, info, facts, output } = request;
  const query = call.url.searchParams;
  const listOptions = exactly(parseListOptions(query, false));
  const selection = parseSelection(facts, info, query);
  const options = parseDeleteOptions(await call.body("DeleteOptions"), call.headers.get("content-type"), query);
  const { metadata, items } = await readSelected(request, listOptions, selection);
  const queue = [...items];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item; item = queue.shift()) {
      const { name, namespace = "" } = item.metadata;
      await deleteOne(request, { name, namespace, options }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const { apiVersion, kind } = typeMetaOf(facts);
  const shown = items.map((item) => fromStored(facts, item));
  if (output.as) return valueAnswer(200, transformList(request, { metadata, items: shown }), output);
  return valueAnswer(200, { kind: `${kind}List`, apiVersion, metadata, items: shown.map(withoutType) }, output);
};

/** Upstream takes what is deleted page by page, where a version means that very version if nothing else is said. */
function exactly(options: ListOptions): ListOptions {
  const { resourceVersion, resourceVersionMatch, continue: token } = options;
  const isOther = resourceVersion === "" || resourceVersion === "0" || resourceVersionMatch !== "" || token !== "";
  return isOther ? options : { ...options, resourceVersionMatch: "Exact" };
}

const withoutType = ({ apiVersion: _apiVersion, kind: _kind, ...object }: KubeObject) => object;
