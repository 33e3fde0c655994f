import { matchesFields, matchesRequirements } from "../../shared/api/selector.ts";
import type { Attributes, Key, Selection } from "./interface.ts";
import { splitKey } from "./key.ts";

/** Whether namespace and name of a selection leave this key in. */
export function selectsKey({ namespace, name }: Selection, key: Key): boolean {
  if (namespace === undefined && name === undefined) return true;
  const parts = splitKey(key);
  return (namespace === undefined || parts.namespace === namespace) && (name === undefined || parts.name === name);
}

/** Whether a selection takes in an object. Fields of its metadata come from the key. */
export function selects(selection: Selection, key: Key, attributes: Attributes): boolean {
  if (!selectsKey(selection, key)) return false;
  if (selection.labels?.length && !matchesRequirements(selection.labels, attributes.labels)) return false;
  if (!selection.fields?.length) return true;
  const { namespace, name } = splitKey(key);
  return matchesFields(selection.fields, {
    ...attributes.fields,
    "metadata.name": name,
    "metadata.namespace": namespace,
  });
}

/** Whether it takes in everything of its namespace, so that attributes need not be read. */
export const selectsAll = ({ name, labels, fields }: Selection): boolean =>
  name === undefined && !labels?.length && !fields?.length;
