/**
 * The Swagger 2.0 document in the protobuf form that client-go asks for (`openapi.v2.Document` of gnostic): the same
 * content, found in smaller types. It only writes; the table of messages is in messages.ts.
 */
import { type Field, MESSAGES, type Message, type MessageName } from "./messages.ts";
import { BackwardWriter } from "./writer.ts";

type JsonMap = Readonly<Record<string, unknown>>;

/**
 * A Swagger 2.0 document as openapi.v2.Document.
 * @throws Error for what the table of messages does not have, or not of that type: half a document would mislead
 */
export function encodeSwagger(document: object): Uint8Array<ArrayBuffer> {
  const writer = new BackwardWriter();
  writeMessage(writer, MESSAGES.Document, document as JsonMap, "Document");
  return writer.finish();
}

/** The writer goes backwards, and so do the loops here. */
function writeMessage(writer: BackwardWriter, message: Message, value: JsonMap, where: MessageName): void {
  if (message.oneOf) {
    const { property, cases } = message.oneOf;
    const field = cases[value[property] as string];
    if (!field) throw new Error(`${where} with ${property} ${JSON.stringify(value[property])} has no protobuf form`);
    writeField(writer, field, value);
    return;
  }
  const names = Object.keys(value);
  for (let i = names.length - 1; i >= 0; i--) {
    const name = names[i]!;
    const field = message.fields?.[name];
    if (field) writeField(writer, field, value[name]);
    else if (message.extensions !== undefined && name.startsWith("x-")) {
      writeNamed(writer, message.extensions, name, ANY_VALUE, value[name]);
    } else if (message.entries) {
      writeNamed(writer, message.entries.number, name, message.entries.value, value[name]);
    } else throw new Error(`${where}.${name} has no protobuf form`);
  }
}

const ANY_VALUE: Field = ["any", 2];

function writeNamed(writer: BackwardWriter, number: number, name: string, field: Field, value: unknown): void {
  const { length } = writer;
  writeField(writer, field, value);
  writer.string(1, name);
  writer.close(number, length);
}

function writeField(writer: BackwardWriter, field: Field, value: unknown): void {
  const { length } = writer;
  const type = field[0];
  const last = field.length - 1;
  const number = field[last] as number;
  // What may be any JSON may be a list too.
  if (Array.isArray(value) && type !== "any") {
    for (let i = value.length - 1; i >= 0; i--) writeValue(writer, type, number, value[i]);
  } else writeValue(writer, type, number, value);
  for (let i = last - 1; i > 0; i--) writer.close(field[i] as number, length);
}

function writeValue(writer: BackwardWriter, type: Field[0], number: number, value: unknown): void {
  if (type === "string" && typeof value === "string") writer.string(number, value);
  else if (type === "boolean" && typeof value === "boolean") writer.boolean(number, value);
  else if (type === "double" && typeof value === "number") writer.double(number, value);
  else if (type === "int64" && Number.isSafeInteger(value)) writer.int64(number, value as number);
  else if (type === "any" || type === "any[]") writeAny(writer, number, value);
  else if (type in MESSAGES && typeof value === "object" && value !== null) {
    const { length } = writer;
    const name = type as MessageName;
    writeMessage(writer, MESSAGES[name], value as JsonMap, name);
    writer.close(number, length);
  } else throw new Error(`${JSON.stringify(value)} is no ${type}`);
}

/** Clients parse it as YAML, of which JSON is a part; gnostic's writer ends it with a line feed. */
function writeAny(writer: BackwardWriter, number: number, value: unknown): void {
  const { length } = writer;
  writer.string(2, `${JSON.stringify(value)}\n`);
  writer.close(number, length);
}
