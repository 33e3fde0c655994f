import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../../shared/api/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../shared/api/object.ts";
import { badRequest, failure, type StatusCause } from "../../../shared/api/status.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { checkConfig, fieldsOfConfig } from "./applied-config.ts";
import { compareFields } from "./compare.ts";
import { difference, emptySet, type FieldSet, intersection, isEmptySet, pathsOf, union } from "./field-set.ts";
import { clientSideApplied, KUBECTL, refreshLastApplied } from "./last-applied.ts";
import { type Manager, parseManagers, renderManagers } from "./managers.ts";
import { mergeConfig, removeFields } from "./merge-config.ts";
import { ignoring, NEVER_OWNED, withoutManagedFields } from "./ownership.ts";
import { type Resolve, shapeOf } from "./path-element.ts";
import { printPath } from "./print-path.ts";
import { zeroObject } from "./zero-object.ts";

export interface Apply {
  /** Undefined: the apply creates the object. */
  live: KubeObject | undefined;
  /** The applied object, as parsed. */
  config: JsonObject;
  schema: Schema;
  /** The schema's name in Definitions. */
  schemaName: string;
  resolve: Resolve;
  manager: string;
  /** Version and kind of the request: `apps/v1`, `Deployment`. */
  apiVersion: string;
  kind: string;
  subresource?: string;
  force: boolean;
  /** See Update.ignored. */
  ignored?: readonly string[];
  nowMs: number;
}

/**
 * Server-side apply: the live object with the applied one laid over it, without what this manager applied before and
 * nobody else owns, and its new managedFields in place.
 * @returns the object before decoding and defaulting; the caller finds out whether anything changed
 * @throws ApiError 409 with a cause for each field that another manager owns with another value; 400 and 500 as upstream
 *   for what is no object of the schema
 * @see KEP-555
 */
export function trackApply(apply: Apply): JsonObject {
  const { config, schema, schemaName, resolve, manager, subresource = "", nowMs } = apply;
  requireMatch(apply);
  const live = withoutManagedFields(apply.live ?? zeroObject(schema, resolve, schemaName)) as JsonObject;
  const managers = managersOf(apply, live);
  const isApplier = (m: Manager) => m.name === manager && m.operation === "Apply" && m.subresource === subresource;
  const last = managers.find(isApplier);
  const filter = ignoring(apply.ignored ?? []);
  const fields = filter(fieldsOfConfig(config, schema, resolve));
  const others = managers.filter((m) => m !== last);

  const merged = mergeConfig(live, config, schema, resolve) as JsonObject;
  const object = last ? prune(merged, last.fields, [fields, ...others.map((m) => m.fields)], apply) : merged;
  const compared = compareFields(live, object, schema, resolve);
  const taken = filter(union(compared.added, compared.modified));
  const removed = filter(compared.removed);
  const mayTake = manager === KUBECTL && apply.live ? clientSideApplied(apply.live, apply) : emptySet();
  const contested = difference(taken, mayTake);
  const conflicts = others.map((m) => ({ manager: m, fields: intersection(m.fields, contested) }));
  if (!apply.force) refuseConflicts(conflicts.filter((conflict) => !isEmptySet(conflict.fields)));

  const changed = !apply.live || !jsonEqual(live, object);
  const timeMs = changed ? nowMs : last?.timeMs;
  const applier: Manager = {
    name: manager,
    operation: "Apply",
    apiVersion: apply.apiVersion,
    subresource,
    ...(timeMs === undefined ? {} : { timeMs }),
    fields: difference(fields, NEVER_OWNED),
  };
  const left = others.map((m) => ({ ...m, fields: difference(difference(m.fields, taken), removed) }));
  const entries = renderManagers([...left, applier].filter((m) => !isEmptySet(m.fields)));
  return withEntries(manager === KUBECTL ? refreshLastApplied(object, config) : object, entries);
}

function requireMatch({ config, apiVersion, kind, schema, resolve }: Apply): void {
  if (config["apiVersion"] !== apiVersion) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${String(config["apiVersion"] ?? "")}, expected: ${apiVersion}`,
    );
  }
  const metadata = isJsonObject(config["metadata"]) ? config["metadata"] : {};
  if (metadata["managedFields"] !== undefined && metadata["managedFields"] !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const error = checkConfig(config, schema, resolve);
  if (!error) return;
  const name = `${String(metadata["namespace"] ?? "")}/${String(metadata["name"] ?? "")}`;
  const gvk = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  throw failure(500, "", `failed to create typed patch object (${name}; ${gvk}): ${error}`);
}

/** An object that nobody tracked so far belongs to "before-first-apply", lest the first apply take it over silently. */
function managersOf({ live, schema, schemaName, resolve, apiVersion, nowMs }: Apply, state: JsonObject): Manager[] {
  const managers = parseManagers(live?.metadata.managedFields) ?? [];
  if (!live || managers.length > 0) return managers;
  const compared = compareFields(zeroObject(schema, resolve, schemaName), state, schema, resolve);
  const fields = difference(union(compared.added, compared.modified), NEVER_OWNED);
  return [{ name: "before-first-apply", operation: "Update", apiVersion, subresource: "", timeMs: nowMs, fields }];
}

/**
 * Takes out what this manager applied last time and no longer names, unless somebody else owns it, or something that
 * somebody owns is in it.
 */
function prune(merged: JsonObject, last: FieldSet, owned: FieldSet[], { schema, resolve }: Apply): JsonObject {
  const named = (set: FieldSet) => withNamedFields(set, schema, resolve);
  const everybody = named(owned.reduce(union, emptySet()));
  const mine = named(last);
  const all = named(fieldsOfConfig(merged, schema, resolve));
  const bare = removeFields(merged, mine, schema, resolve);
  const kept = named(fieldsOfConfig(bare, schema, resolve));
  const owners = difference(all, union(kept, everybody));
  const withOwned = removeFields(merged, owners, schema, resolve);
  const left = named(fieldsOfConfig(withOwned, schema, resolve));
  // What is neither left nor was mine hangs in the air (a parent went, its child did not): it comes back.
  return removeFields(merged, intersection(difference(all, left), mine), schema, resolve) as JsonObject;
}

/** Struct fields on the way to a member count as members too: they have no entry of their own in a set. */
function withNamedFields(set: FieldSet, schema: Schema | undefined, resolve: Resolve): FieldSet {
  const shape = shapeOf(schema, resolve);
  const children = new Map<string, FieldSet>();
  for (const [element, child] of set.children) {
    const name = element.slice(2);
    const field =
      shape.kind === "struct"
        ? shape.field(name)
        : shape.kind === "map"
          ? shape.values
          : shape.kind === "list"
            ? shape.items
            : undefined;
    const below = withNamedFields(child, field, resolve);
    const isNamed = shape.kind === "struct" && element.startsWith("f:") && field !== undefined;
    children.set(element, isNamed ? { ...below, member: true } : below);
  }
  return { member: set.member, children };
}

function refuseConflicts(conflicts: { manager: Manager; fields: FieldSet }[]): void {
  const causes: (StatusCause & { by: string })[] = conflicts.flatMap(({ manager, fields }) =>
    [...pathsOf(fields)].map((path) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${printManager(manager)}`,
      field: printPath(path),
      by: printManager(manager),
    })),
  );
  if (causes.length === 0) return;
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${causes[0]!.message}: ${causes[0]!.field}`
      : `Apply failed with ${causes.length} conflicts: ${listConflicts(causes)}`;
  throw failure(409, "Conflict", message, { causes: causes.map(({ by: _by, ...cause }) => cause) });
}

function listConflicts(causes: (StatusCause & { by: string })[]): string {
  const managers = [...new Set(causes.map(({ by }) => by))].sort();
  return managers
    .flatMap((by) => [`conflicts with ${by}:`, ...causes.filter((c) => c.by === by).map((c) => `- ${c.field}`)])
    .join("\n");
}

function printManager({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === "" ? JSON.stringify(name) : `${JSON.stringify(name)} with subresource "${subresource}"`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}

function withEntries(object: JsonObject, entries: ManagedFieldsEntry[]): JsonObject {
  const metadata = (isJsonObject(object["metadata"]) ? object["metadata"] : {}) as JsonObject;
  return { ...object, metadata: { ...metadata, managedFields: entries as unknown as Json } };
}
