import type { JsonObject } from "../../../shared/api/json.ts";
import type { ManagedFieldsEntry } from "../../../shared/api/object.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import { type FieldSet, parseFieldsV1, renderFieldsV1 } from "./field-set.ts";

/** One entry of metadata.managedFields, its fields as a set. */
export interface Manager {
  name: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  subresource: string;
  /** Epoch ms; undefined when the entry carries no time. */
  timeMs?: number;
  fields: FieldSet;
}

/** Undefined when there are none, or when one is malformed: the caller then falls back to what was there before. */
export function parseManagers(entries: ManagedFieldsEntry[] | undefined): Manager[] | undefined {
  if (!entries || entries.length === 0) return undefined;
  try {
    // Of two entries of one manager the last counts.
    return [...new Map(entries.map(parseManager).map((manager) => [identityOf(manager), manager])).values()];
  } catch {
    return undefined; // managedFields sent by a client are advisory: upstream ignores a faulty list too
  }
}

/** An applier is the same in every version, an updater another one in each. */
const identityOf = ({ name, operation, apiVersion, subresource }: Manager): string =>
  JSON.stringify([name, operation, operation === "Apply" ? "" : apiVersion, subresource]);

/** A client that sends no entry at all, or a single empty one, wants nobody to own anything. */
export const isReset = (entries: ManagedFieldsEntry[] | undefined): boolean =>
  entries !== undefined &&
  (entries.length === 0 || (entries.length === 1 && Object.values(entries[0]!).every((value) => value === "")));

function parseManager(entry: ManagedFieldsEntry): Manager {
  if (entry.operation !== "Apply" && entry.operation !== "Update") throw new Error("unknown operation");
  if (!entry.apiVersion) throw new Error("no apiVersion");
  if (entry.fieldsType !== "FieldsV1") throw new Error("unknown fieldsType");
  const timeMs = entry.time ? Date.parse(entry.time) : Number.NaN;
  return {
    name: entry.manager ?? "",
    operation: entry.operation,
    apiVersion: entry.apiVersion ?? "",
    subresource: entry.subresource ?? "",
    ...(Number.isNaN(timeMs) ? {} : { timeMs }),
    fields: parseFieldsV1((entry.fieldsV1 ?? {}) as JsonObject),
  };
}

/** In upstream's order: applies before updates, then by time, name, version and subresource. */
export function renderManagers(managers: Manager[]): ManagedFieldsEntry[] {
  return [...managers].sort(compareManagers).map((manager) => ({
    ...(manager.name === "" ? {} : { manager: manager.name }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.timeMs === undefined ? {} : { time: printTime(manager.timeMs) }),
    fieldsType: "FieldsV1",
    fieldsV1: renderFieldsV1(manager.fields),
    ...(manager.subresource === "" ? {} : { subresource: manager.subresource }),
  }));
}

function compareManagers(a: Manager, b: Manager): number {
  const seconds = (m: Manager) => Math.floor((m.timeMs ?? 0) / 1000);
  return (
    compareTexts(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareTexts(a.name, b.name) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
