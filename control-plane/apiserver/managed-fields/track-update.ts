import type { KubeObject, ManagedFieldsEntry } from "../../../shared/api/object.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { compareFields } from "./compare.ts";
import { difference, type FieldSet, isEmptySet, union } from "./field-set.ts";
import { isReset, type Manager, parseManagers, renderManagers } from "./managers.ts";
import { ignoring, NEVER_OWNED, withoutManagedFields } from "./ownership.ts";
import type { Resolve } from "./path-element.ts";
import { changesByVersion, type InVersion } from "./versions.ts";
import { zeroObject } from "./zero-object.ts";

/** More managers than this are merged, oldest first (upstream DefaultMaxUpdateManagers). */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT_MANAGER = "ancient-changes";

export interface Update {
  /** Undefined for a create. */
  before: KubeObject | undefined;
  /**
   * As the client wants it: decoded, defaulted, patched, but before admission and the kind's strategy, so that what the
   * server adds is nobody's. Its own managedFields are those that the client sent.
   */
  after: KubeObject;
  schema: Schema | undefined;
  /** The schema's name in Definitions. */
  schemaName?: string;
  resolve: Resolve;
  manager: string;
  /** The version in which the request was made: `apps/v1`. */
  apiVersion: string;
  subresource?: string;
  /** Converts an object from the request's version; undefined where that version is not served. */
  inVersion?: InVersion;
  /** Fields that this write cannot change (status for a spec write and the reverse), by their first element. */
  ignored?: readonly string[];
  nowMs: number;
}

/**
 * The managedFields of an object after a create, update or patch: the writer owns what it added or changed, others lose
 * that, and everybody loses what is gone. Undefined: not tracked (the object was made without and nobody applied).
 */
export function trackUpdate(update: Update): ManagedFieldsEntry[] | undefined {
  const { before, after, schema, resolve } = update;
  const managers = managersOf(update);
  if (before && managers.length === 0) return undefined;
  const compared = compareFields(
    withoutManagedFields(before ?? zeroObject(schema, update.schemaName)),
    withoutManagedFields(after),
    schema,
    resolve,
  );
  const filter = ignoring(update.ignored ?? []);
  // A create modifies nothing, and takes nothing from anybody.
  const taken = filter(isEmptySet(compared.modified) ? compared.added : union(compared.added, compared.modified));
  const left = managers.length === 0 ? [] : whatIsLeft(managers, update, { taken, removed: filter(compared.removed) });
  const owned = difference(taken, NEVER_OWNED);
  const result = isEmptySet(owned) ? left : addTo(left, owned, update);
  return renderManagers(capped(result.filter(({ fields }) => !isEmptySet(fields))));
}

/** What others still own after the write. */
function whatIsLeft(managers: Manager[], update: Update, changed: { taken: FieldSet; removed: FieldSet }): Manager[] {
  const inOwn = changesByVersion(update, changed);
  return managers.flatMap((manager) => {
    const changes = inOwn(manager.apiVersion);
    return changes
      ? [{ ...manager, fields: difference(difference(manager.fields, changes.taken), changes.removed) }]
      : [];
  });
}

/**
 * Who owns what before the write. A client may send managedFields back changed, save to a subresource, or give tracking
 * up; what it sends malformed is ignored.
 */
function managersOf({ before, after, subresource }: Update): Manager[] {
  const known = () => parseManagers(before?.metadata.managedFields) ?? [];
  if (subresource) return known();
  const sent = after.metadata.managedFields;
  return isReset(sent) ? [] : (parseManagers(sent) ?? known());
}

function addTo(managers: Manager[], owned: FieldSet, update: Update): Manager[] {
  const { manager: name, apiVersion, subresource, nowMs } = update;
  const isSame = (m: Manager) =>
    m.name === name && m.operation === "Update" && m.apiVersion === apiVersion && m.subresource === (subresource ?? "");
  const before = managers.find(isSame);
  const fields = before ? union(before.fields, owned) : owned;
  const entry: Manager = {
    name,
    operation: "Update",
    apiVersion,
    subresource: subresource ?? "",
    timeMs: nowMs,
    fields,
  };
  return [...managers.filter((m) => m !== before), entry];
}

/** Merges the oldest updaters of a version into one entry while there are too many. */
function capped(managers: Manager[]): Manager[] {
  const updaters = managers.filter((m) => m.operation === "Update");
  let surplus = updaters.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return managers;
  const byAge = [...updaters].sort((a, b) => (a.timeMs ?? 0) - (b.timeMs ?? 0) || (a.name < b.name ? -1 : 1));
  const buckets = new Map<string, Manager>();
  let result = managers;
  for (const manager of byAge) {
    if (surplus <= 0) break;
    const bucket = buckets.get(manager.apiVersion);
    if (!bucket) {
      buckets.set(manager.apiVersion, manager);
      continue;
    }
    const merged: Manager = {
      ...manager,
      name: ANCIENT_MANAGER,
      subresource: "",
      fields: union(bucket.fields, manager.fields),
    };
    result = [...result.filter((m) => m !== bucket && m !== manager), merged];
    buckets.set(manager.apiVersion, merged);
    surplus--;
  }
  return result;
}
