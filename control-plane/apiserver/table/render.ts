import type { KubeObject } from "../../../shared/api/object.ts";
import {
  type Cell,
  type Column,
  type ColumnDefinition,
  fieldColumn,
  NAME,
  type RowCondition,
  type TableKind,
} from "./column.ts";
import { fieldDescription } from "./description.ts";
import { tableOf } from "./registry.ts";

/** metav1.Table. */
export interface Table {
  kind: "Table";
  apiVersion: string;
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: ColumnDefinition[] | null;
  /** Null where upstream has no printer for the kind, and the list is empty. */
  rows: TableRow[] | null;
}

export interface TableRow {
  cells: Cell[];
  conditions?: RowCondition[];
  /** The object, its metadata, or null, as `includeObject` says. */
  object: unknown;
}

export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  includeObject: IncludeObject;
  /** Metadata of the list; left out for a single object, whose resourceVersion is used. */
  listMeta?: Table["metadata"];
  /** Epoch ms that ages are counted to. */
  nowMs: number;
  /** Of meta.k8s.io; the newest by default. */
  version?: string;
  /** Watches send the columns with their first event only. */
  omitColumns?: boolean;
}

/** Go's time that is not set. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

/** Kinds without a table of their own: name and time of creation. */
const DEFAULT_TABLE: TableKind = {
  columns: [NAME, { ...fieldColumn("Created At", "meta.v1.ObjectMeta.creationTimestamp"), type: "date" }],
  // A bookmark has neither.
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ZERO_TIME],
};

const defineColumn = ({ name, type = "string", format = "", priority = 0, description }: Column): ColumnDefinition => ({
  name,
  type,
  format,
  description: typeof description === "string" ? description : fieldDescription(description.field),
  priority,
});

/** Rendered once: descriptions are looked up in the schemas. */
const definedColumns = new WeakMap<TableKind, ColumnDefinition[]>();

function columnsOf(table: TableKind): ColumnDefinition[] {
  let columns = definedColumns.get(table);
  if (!columns) {
    columns = table.columns.map(defineColumn);
    definedColumns.set(table, columns);
  }
  return columns;
}

function includedObject(object: KubeObject, include: IncludeObject, apiVersion: string): unknown {
  if (include === "None") return null;
  if (include === "Object") return object;
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}

/** A bookmark is an object with a version alone; it gets a row all the same, with what empty fields print as. */
function printable(object: KubeObject): KubeObject {
  if (object.metadata.name !== undefined) return object;
  return {
    metadata: { ...object.metadata, name: "" },
    spec: {},
    status: {},
    roleRef: { kind: "", name: "" },
  } as KubeObject;
}

/**
 * Objects of one kind as kubectl shows them. All columns are given, those for `-o wide` with priority 1.
 * @param kind the objects' group and kind
 * @param objects whole, with kind and apiVersion if they are to be included
 */
export function renderTable(
  kind: { group: string; kind: string },
  objects: KubeObject[],
  { includeObject, listMeta, nowMs, version = "v1", omitColumns = false }: TableOptions,
): Table {
  const own = tableOf(kind);
  const table = own ?? DEFAULT_TABLE;
  const apiVersion = `meta.k8s.io/${version}`;
  const only = objects.length === 1 ? objects[0] : undefined;
  const ownVersion = only?.metadata.resourceVersion;
  const rows = objects.map((object): TableRow => {
    const conditions = table.conditions?.(object) ?? [];
    return {
      cells: table.cells(printable(object), nowMs).map((cell) => cell ?? ""),
      ...(conditions.length > 0 ? { conditions } : {}),
      object: includedObject(object, includeObject, apiVersion),
    };
  });
  return {
    kind: "Table",
    apiVersion,
    metadata: listMeta ?? (ownVersion ? { resourceVersion: ownVersion } : {}),
    columnDefinitions: omitColumns ? null : columnsOf(table),
    rows: own || rows.length > 0 ? rows : null,
  };
}
