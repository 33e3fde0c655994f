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
import { changesByVersion, type InVersion } from "./versions.ts";
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
  /** See Update.inVersion. */
  inVersion?: InVersion;
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
  const live = withoutManagedFields(apply.live ?? zeroObject(schema, schemaName)) as JsonObject;
  const managers = managersOf(apply, live);
  const isApplier = (m: Manager) => m.name === manager && m.operation === "Apply" && m.subresource === subresource;
  const last = managers.find(isApplier);
  const filter = ignoring(apply.ignored ?? []);
  const fields = filter(fieldsOfConfig(config, schema, resolve));
  const others = managers.filter((m) => m !== last);

  const merged = mergeConfig(live, config, schema, resolve) as JsonObject;
  const now: Owned = { apiVersion: apply.apiVersion, fields };
  const object = last ? prune(merged, last, [now, ...others], apply) : merged;
  const compared = compareFields(live, object, schema, resolve);
  const own = { taken: filter(union(compared.added, compared.modified)), removed: filter(compared.removed) };
  const changes = changesByVersion({ ...apply, before: apply.live && asObject(live), after: asObject(object) }, own);
  const mayTake = manager === KUBECTL && apply.live ? clientSideApplied(apply.live, apply) : emptySet();
  const takenFrom = (m: Manager) => changes(m.apiVersion)?.taken ?? emptySet();
  const conflicts = others.map((m) => ({
    manager: m,
    fields: difference(intersection(m.fields, takenFrom(m)), mayTake),
  }));
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
  const left = others.map((m) => ({
    ...m,
    fields: difference(difference(m.fields, takenFrom(m)), changes(m.apiVersion)?.removed ?? emptySet()),
  }));
  const entries = renderManagers([...left, applier].filter((m) => !isEmptySet(m.fields)));
  return withEntries(manager === KUBECTL ? refreshLastApplied(object, config) : object, entries);
}

function requireMatch({ config, apiVersion, kind, schema, resolve }: Apply): void {
  const sent = { apiVersion: textOf(config["apiVersion"]), kind: textOf(config["kind"]) };
  if (sent.apiVersion !== apiVersion || sent.kind !== kind) throw badRequest(`invalid object type: ${printKind(sent)}`);
  const metadata = isJsonObject(config["metadata"]) ? config["metadata"] : {};
  if (metadata["managedFields"] !== undefined && metadata["managedFields"] !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const error = checkConfig(config, schema, resolve);
  if (!error) return;
  throw failure(
    500,
    "",
    `failed to create typed patch object (${printConfig(config, { apiVersion, kind })}): ${error}`,
  );
}

/** What is no text counts as none here. */
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** What errors call an applied object. */
export function printConfig(config: JsonObject, typeMeta: { apiVersion: string; kind: string }): string {
  const metadata = isJsonObject(config["metadata"]) ? config["metadata"] : {};
  const name = `${textOf(metadata["namespace"])}/${textOf(metadata["name"])}`;
  return `${name}; ${printKind(typeMeta)}`;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function printKind({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  const slashes = apiVersion.split("/").length - 1;
  if (slashes > 1) return "/, Kind="; // no version at all
  return `${slashes === 1 ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/**
 * Who owns what before the apply, those of versions that are not served left out. An object that nobody tracked so far
 * belongs to "before-first-apply", lest the first apply take it over silently.
 */
function managersOf(apply: Apply, state: JsonObject): Manager[] {
  const { live, schema, schemaName, resolve, apiVersion, nowMs, subresource = "" } = apply;
  const managers = parseManagers(live?.metadata.managedFields) ?? [];
  if (managers.length > 0) return managers.filter((m) => m.apiVersion === apiVersion || isServed(m.apiVersion, apply));
  if (!live) return [];
  const compared = compareFields(zeroObject(schema, schemaName), state, schema, resolve);
  const owned = ignoring(apply.ignored ?? [])(union(compared.added, compared.modified));
  const fields = difference(owned, NEVER_OWNED);
  return [{ name: "before-first-apply", operation: "Update", apiVersion, subresource, timeMs: nowMs, fields }];
}

const isServed = (apiVersion: string, { live, inVersion }: Apply): boolean =>
  inVersion?.(apiVersion, live!) !== undefined;

const asObject = (object: JsonObject) => object as unknown as KubeObject;

/** What a manager owns, in the fields of one version. */
type Owned = Pick<Manager, "apiVersion" | "fields">;

/**
 * Takes out what this manager applied last time and no longer names, unless somebody else owns it, or something that
 * somebody owns is in it.
 */
function prune(merged: JsonObject, last: Owned, owners: Owned[], apply: Apply): JsonObject {
  const { resolve, apiVersion } = apply;
  const own = { schema: apply.schema as Schema, schemaName: apply.schemaName };
  const inVersion = (version: string, object: JsonObject) =>
    object["apiVersion"] === version || (version === apiVersion && object["apiVersion"] === undefined)
      ? { object, schema: version === apiVersion ? own.schema : apply.inVersion!(version, asObject(object))!.schema }
      : (apply.inVersion?.(version, asObject(object)) as { object: JsonObject; schema: Schema } | undefined);
  const before = inVersion(last.apiVersion, merged);
  if (!before) return merged;
  const named = (set: FieldSet, schema: Schema) => withNamedFields(set, schema, resolve);
  const fieldsOf = (object: JsonObject, schema: Schema) => named(fieldsOfConfig(object, schema, resolve), schema);
  const mine = named(last.fields, before.schema);

  let pruned = removeFields(before.object, mine, before.schema, resolve) as JsonObject;
  const byVersion = Map.groupBy(owners, (owner) => owner.apiVersion);
  const versions = [last.apiVersion, ...[...byVersion.keys()].filter((version) => version !== last.apiVersion)];
  for (const version of versions) {
    const all = inVersion(version, before.object);
    const bare = inVersion(version, pruned);
    if (!all || !bare) continue;
    const { schema } = all;
    const owned = named((byVersion.get(version) ?? []).map(({ fields }) => fields).reduce(union, emptySet()), schema);
    const kept = fieldsOf(bare.object, schema);
    const gone = difference(fieldsOf(all.object, schema), union(kept, owned));
    pruned = removeFields(all.object, gone, schema, resolve) as JsonObject;
  }
  const left = inVersion(last.apiVersion, pruned);
  if (!left) return merged;
  // What is neither left nor was mine hangs in the air (a parent went, its child did not): it comes back.
  const missing = difference(fieldsOf(before.object, before.schema), fieldsOf(left.object, before.schema));
  const result = removeFields(before.object, intersection(missing, mine), before.schema, resolve) as JsonObject;
  return inVersion(apiVersion, result)?.object ?? result;
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
