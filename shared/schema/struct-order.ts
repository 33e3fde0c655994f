import { isJsonObject, type Json, type JsonObject } from "../api/json.ts";
import { DECLARED_ORDER } from "./facts/declared-order.ts";
import { type Field, type Message, messageOf } from "./protobuf/message.ts";

/**
 * An object with its members in the order in which Go's encoder writes them: fields as upstream declares them, keys of
 * maps sorted. Messages quote objects so. Members of no field come last.
 * @param definition its name in Definitions; values of what has none are left as they are
 */
export function inStructOrder(definition: string, object: JsonObject): JsonObject {
  const message = messageOf(definition);
  return message ? (orderMessage(message, object) as JsonObject) : object;
}

const declared = new Map<string, string[]>();

/** The fields of a struct as they are declared; by their numbers, where nothing else is known. */
function declaredOrder({ name, packageName, fields }: Message): string[] {
  if (declared.size === 0) {
    for (const [of, lines] of Object.entries(DECLARED_ORDER)) {
      for (const line of lines.trim().split("\n")) {
        const [struct = "", ...names] = line.trim().split(" ");
        declared.set(`${of}.${struct}`, names);
      }
    }
  }
  return declared.get(`${packageName}.${name}`) ?? fields.flatMap((field) => (field ? [field.name] : []));
}

const orders = new WeakMap<Message, Map<string, Field>>();

/** By JSON name, those of inlined structs in their place. */
function fieldsOf(message: Message): Map<string, Field> {
  const known = orders.get(message) ?? orderFields(message);
  orders.set(message, known);
  return known;
}

function orderFields(message: Message): Map<string, Field> {
  const known = new Map(message.fields.flatMap((field) => (field ? [[field.name, field] as const] : [])));
  const ordered = new Map<string, Field>();
  for (const name of new Set([...declaredOrder(message), ...known.keys()])) {
    const field = known.get(name) ?? inlined(known, name);
    if (field?.shape === "inline" && field.type.kind === "message") {
      for (const [inner, of] of fieldsOf(field.type.message)) ordered.set(inner, of);
    } else if (field) ordered.set(name, field);
  }
  return ordered;
}

/** An inlined struct is declared by a name that starts in lower case. */
const inlined = (known: Map<string, Field>, name: string) => known.get(name.charAt(0).toUpperCase() + name.slice(1));

function orderMessage(message: Message, value: Json): Json {
  if (!isJsonObject(value) || message.unwrap) return value;
  const fields = fieldsOf(message);
  const ordered: JsonObject = {};
  // Of an object; a reference or an owner of fields has such members of its own, in their place.
  for (const name of ["kind", "apiVersion"]) if (name in value && !fields.has(name)) ordered[name] = value[name]!;
  for (const [name, field] of fields) {
    if (name in value) ordered[name] = orderField(field, value[name]!);
  }
  return { ...ordered, ...Object.fromEntries(Object.entries(value).filter(([name]) => !(name in ordered))) };
}

function orderField({ shape, type }: Field, value: Json): Json {
  const order = (item: Json) => (type.kind === "message" ? orderMessage(type.message, item) : item);
  if (shape === "list") return Array.isArray(value) ? value.map(order) : value;
  if (shape !== "map") return order(value);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, order(value[key]!)]));
}
