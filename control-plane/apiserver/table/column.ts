import type { KubeObject } from "../../../shared/api/object.ts";

/** metav1.TableColumnDefinition. */
export interface ColumnDefinition {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  /** "name" marks the column that identifies the object. */
  format: string;
  description: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  priority: number;
}

/** A column as the tables of kinds state it. */
export interface Column {
  name: string;
  type?: ColumnDefinition["type"];
  format?: string;
  priority?: 0 | 1;
  /** A text, or the schema's field whose description is taken: `core.v1.PodStatus.podIP`. */
  description: string | { field: string };
}

export type Cell = string | number | boolean | null;

/** metav1.TableRowCondition. */
export interface RowCondition {
  type: "Completed";
  status: "True";
  reason: string;
  message: string;
}

/** How one kind is printed. `cells` gives one cell for each column, in their order. */
export interface TableKind<T extends KubeObject = KubeObject> {
  columns: Column[];
  cells(object: T, nowMs: number): Cell[];
  conditions?(object: T): RowCondition[];
}

const META = "meta.v1.ObjectMeta";

export const NAME: Column = { name: "Name", format: "name", description: { field: `${META}.name` } };
export const AGE: Column = { name: "Age", description: { field: `${META}.creationTimestamp` } };

type Options = Pick<Column, "type" | "format">;

/** Its description comes from a field of the schema. */
export const fieldColumn = (name: string, field: string, options: Options = {}): Column => ({
  name,
  description: { field },
  ...options,
});

export const textColumn = (name: string, description: string, options: Options = {}): Column => ({
  name,
  description,
  ...options,
});

/** Shown with `-o wide` only. */
export const wide = (column: Column): Column => ({ ...column, priority: 1 });

export const CONTAINERS = wide(textColumn("Containers", "Names of each container in the template."));
export const IMAGES = wide(textColumn("Images", "Images referenced by each container in the template."));
