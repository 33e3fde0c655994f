import type { KubeObject } from "../../shared/api/object.ts";
import { matchesFields, matchesRequirements } from "../../shared/api/requirement.ts";
import { notFound } from "../../shared/api/status.ts";
import { valueAnswer } from "./answer.ts";
import { isStorageWell } from "./health.ts";
import { type Handler, typeMetaOf } from "./resource-request.ts";
import { objectAnswer, transformList } from "./response-object.ts";
import { parseSelection } from "./selection.ts";

/** The parts that upstream tells of. The first two run where this answer is made, the last is the storage. */
const COMPONENTS = ["controller-manager", "scheduler", "etcd-0"];

/**
 * The deprecated look at the control plane's parts (`kubectl get componentstatuses`): one of them, or all that a
 * selector leaves.
 */
export const readComponentStatus: Handler = async (request) => {
  const { facts, info, output, call, context } = request;
  const isWell = await isStorageWell(context);
  const all = COMPONENTS.map((name) => renderComponent(name, name !== "etcd-0" || isWell));
  if (info.verb === "get") {
    const found = all.find(({ metadata }) => metadata.name === info.name);
    // Upstream names the resource in the singular here.
    if (!found) throw notFound({ group: "", resource: "componentstatus" }, info.name);
    return objectAnswer(request, 200, found);
  }
  const { labels = [], fields = [] } = parseSelection(facts, info, call.url.searchParams);
  const items = all.filter(
    ({ metadata }) =>
      matchesRequirements(labels, metadata.labels) &&
      matchesFields(fields, { "metadata.name": metadata.name, "metadata.namespace": "" }),
  );
  const list = { metadata: {}, items };
  if (!output.as) {
    const { apiVersion, kind } = typeMetaOf(facts);
    return valueAnswer(200, { apiVersion, kind: `${kind}List`, ...list }, output);
  }
  const typed = items.map((item) => ({ ...typeMetaOf(facts), ...item }));
  return valueAnswer(200, transformList(request, { ...list, items: typed }), output);
};

function renderComponent(name: string, isWell: boolean): KubeObject {
  const condition = isWell
    ? { type: "Healthy", status: "True", message: "ok" }
    : { type: "Healthy", status: "False", error: "the storage does not answer" };
  return { metadata: { name }, conditions: [condition] };
}
