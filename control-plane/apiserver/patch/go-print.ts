import { isJsonObject, type Json } from "../../../shared/api/json.ts";

/**
 * A JSON value as Go's `%v` prints it: upstream's merge errors quote the patch that way
 * (`map[image:i name:b]`), and users search for those texts.
 */
export function printGo(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(printGo).join(" ")}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${key}:${printGo(value[key]!)}`);
    return `map[${members.join(" ")}]`;
  }
  return String(value);
}

/** The Go type a JSON value decodes to, as upstream's errors name it. */
export function goTypeOf(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object":
      return "map[string]interface {}";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "boolean":
      return "bool";
    default:
      return "string";
  }
}
