import { parseLabelSelector, type Requirement } from "../../shared/api/selector.ts";
import { parseFieldSelectorFor, type ResourceFacts } from "../../shared/schema/index.ts";
import type { Selection } from "../storage/index.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * What a list or watch selects.
 * @throws ApiError 400 for selectors that cannot be read, or fields the kind does not offer
 */
export function parseSelection(facts: ResourceFacts, info: RequestInfo, query: URLSearchParams): Selection {
  const labelText = query.get("labelSelector") ?? "";
  const fieldText = query.get("fieldSelector") ?? "";
  const labels = labelText === "" ? [] : parseLabelSelector(labelText);
  const fields = fieldText === "" ? [] : parseFieldSelectorFor(facts, fieldText);
  const name = info.watchByPath && info.name ? info.name : onlyName(fields);
  const namespace = info.namespace || undefined;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels.length > 0 ? { labels } : {}),
    ...(fields.length > 0 ? { fields } : {}),
    // A name alone finds one key only where the namespace is known.
    ...(name !== undefined && (namespace !== undefined || !facts.namespaced) ? { name } : {}),
  };
}

function onlyName(fields: Requirement[]): string | undefined {
  const names = fields.filter(({ key, operator }) => key === "metadata.name" && operator === "=");
  return names.length === 1 ? names[0]!.values[0] : undefined;
}

/** A selector makes the number of remaining items unknown. */
export const selects = ({ labels, fields, name }: Selection): boolean =>
  (labels?.length ?? 0) > 0 || (fields?.length ?? 0) > 0 || name !== undefined;
