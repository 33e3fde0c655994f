import type { Json } from "../api/json.ts";
import type { Node } from "./node.ts";

/** What upstream says when a value of a map is not of the type that a kind has there. It names no place. */
export function explainMapMismatch({ kind, goType }: Node, value: Json, what: string): string {
  const from = goKindOf(value);
  switch (kind) {
    case "struct":
      return `cannot restore struct from: ${from}`;
    case "list":
    case "bytes":
      return `cannot restore slice from ${from}`;
    case "map":
      return `cannot restore map from ${from}`;
    case "string":
      // Go lets an integer become a text, and upstream does not.
      return from === "int64" ? `cannot convert int64 to ${goType}` : "unrecognized type: string";
    case "boolean":
      return "unrecognized type: bool";
    case "int32":
    case "int64":
      return from === "float64" ? `cannot convert float64 to ${goType}` : `unrecognized type: ${goType}`;
    case "number":
      return "unrecognized type: float64";
    default:
      return `json: cannot unmarshal ${what} into Go value of type ${goType}`;
  }
}

function goKindOf(value: Json): string {
  if (Array.isArray(value)) return "slice";
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return "map";
  }
}
