import { dumpQuantity } from "./dump-quantity.ts";
import { MAP_TYPES, STRUCTS } from "./layout.ts";

interface Field {
  name: string;
  type: string;
  /** Undefined: the field's own fields are the struct's (an embedded struct). */
  jsonName: string | undefined;
}

const ZERO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";
const NIL = "<nil>";

const fieldsOf = new Map<string, Field[]>();

/**
 * A value as Go's spew prints it with types (`%#v`). Empty lists and maps are nil, as they are after a trip through
 * protobuf.
 * @param type as in `STRUCTS`
 */
export function dump(type: string, value: unknown): string {
  if (!type.startsWith("*")) return `(${type})${dumpUntyped(type, value)}`;
  return value === undefined || value === null ? `(${type})${NIL}` : `(${type})${dumpUntyped(type.slice(1), value)}`;
}

function dumpUntyped(type: string, value: unknown): string {
  if (type.startsWith("[]")) return dumpList(type.slice(2), (value ?? []) as unknown[]);
  const mapType = /^map\[(.*?)\](.*)$/.exec(MAP_TYPES[type] ?? type);
  if (mapType) return dumpMap(mapType[2] ?? "", (value ?? {}) as Record<string, unknown>);
  if (STRUCTS[type] !== undefined) return dumpStruct(type, (value ?? {}) as Record<string, unknown>);
  switch (type) {
    case "resource.Quantity":
      return dumpQuantity(value as string | number | undefined);
    case "intstr.IntOrString":
      return typeof value === "string"
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${Number(value ?? 0)} StrVal:(string)}`;
    case "v1.Time":
      return ZERO_TIME;
    case "bool":
      return String(value ?? false);
    case "int32":
    case "int64":
      return String(value ?? 0);
    default:
      // Strings, and the named types made of them.
      return String(value ?? "");
  }
}

function dumpList(type: string, items: unknown[]): string {
  return items.length === 0 ? NIL : `[${items.map((item) => dumpUntyped(type, item)).join(" ")}]`;
}

function dumpMap(type: string, map: Record<string, unknown>): string {
  const keys = Object.keys(map).sort();
  return keys.length === 0 ? NIL : `map[${keys.map((key) => `${key}:${dumpUntyped(type, map[key])}`).join(" ")}]`;
}

function dumpStruct(type: string, object: Record<string, unknown>): string {
  const fields = parseFields(type).map(
    ({ name, type, jsonName }) => `${name}:${dump(type, jsonName === undefined ? object : object[jsonName])}`,
  );
  return `{${fields.join(" ")}}`;
}

function parseFields(type: string): Field[] {
  let fields = fieldsOf.get(type);
  if (!fields) {
    fields = (STRUCTS[type] ?? "").split(", ").map((text) => {
      const [name = "", fieldType = "", third] = text.split(" ");
      const jsonName = third === "inline" ? undefined : (third ?? name.charAt(0).toLowerCase() + name.slice(1));
      return { name, type: fieldType, jsonName };
    });
    fieldsOf.set(type, fields);
  }
  return fields;
}
