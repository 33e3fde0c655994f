import { expect, it } from "vitest";
import { renderV2 } from "../document.ts";
import { encodeSwagger } from "./index.ts";

/** What a reader of protobuf sees: fields by number, nested ones as far as the test looks into them. */
type Fields = Record<number, (number | Uint8Array)[]>;

/** Not the reader of request bodies: a second one, so that a mistake is not made twice. */
function fieldsOf(bytes: Uint8Array): Fields {
  const fields: Fields = {};
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    fields[number] ??= [];
    if (tag % 8 === 0) fields[number].push(varint());
    else if (tag % 8 === 1) {
      fields[number].push(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true));
      at += 8;
    } else if (tag % 8 === 2) {
      const length = varint();
      if (length > bytes.length - at) throw new Error(`${length} bytes where ${bytes.length - at} are left`);
      fields[number].push(bytes.subarray(at, at + length));
      at += length;
    } else throw new Error(`wire type ${tag % 8}`);
  }
  return fields;
}

type Value = Fields[number][number];
type Read = (values: Value[]) => unknown;
/** JSON names with numbers of OpenAPIv2.proto, read from there and not from messages.ts. */
type Names = Record<string, [number: number, read: Read]>;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const textOf = (value: Value | undefined) => utf8.decode(value as Uint8Array);
const text: Read = ([value]) => textOf(value);
const texts: Read = (values) => values.map(textOf);
const number: Read = ([value]) => value;
const boolean: Read = ([value]) => value === 1;
const json: Read = ([value]) => JSON.parse(textOf(fieldsOf(value as Uint8Array)[2]![0])) as unknown;
const jsons: Read = (values) => values.map((value) => json([value]));
const wrapped =
  (field: number, read: Read): Read =>
  ([value]) =>
    read(fieldsOf(value as Uint8Array)[field] ?? []);
const map = (values: Value[] = [], read: Read) =>
  Object.fromEntries(
    values.map((entry) => {
      const { 1: name, 2: value } = fieldsOf(entry as Uint8Array);
      return [textOf(name![0]), read(value!)];
    }),
  );
const mapIn =
  (field: number, read: Read): Read =>
  ([value]) =>
    map(fieldsOf(value as Uint8Array)[field], read);

function message(bytes: Uint8Array, names: Names, extensions: number): Record<string, unknown> {
  const { [extensions]: extended, ...fields } = fieldsOf(bytes);
  const value: Record<string, unknown> = {};
  for (const [name, [field, read]] of Object.entries(names)) {
    if (fields[field]) value[name] = read(fields[field]);
    delete fields[field];
  }
  if (Object.keys(fields).length > 0) throw new Error(`fields ${Object.keys(fields)} beside ${Object.keys(names)}`);
  return { ...value, ...map(extended, json) };
}

const readInfo: Read = ([value]) => message(value as Uint8Array, { title: [1, text], version: [2, text] }, 7);

const readSchema: Read = ([value]) =>
  message(
    value as Uint8Array,
    {
      $ref: [1, text],
      format: [2, text],
      description: [4, text],
      default: [5, json],
      maximum: [7, number],
      minLength: [12, number],
      pattern: [13, text],
      required: [19, texts],
      enum: [20, jsons],
      additionalProperties: [21, wrapped(1, readSchema)],
      type: [22, wrapped(1, text)],
      items: [23, wrapped(1, readSchema)],
      properties: [25, mapIn(1, readSchema)],
    },
    31,
  );

const BODY: Names = {
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, boolean],
  schema: [5, readSchema],
};
const NAMED: Names = { required: [1, boolean], in: [2, text], description: [3, text], name: [4, text] };
const QUERY: Names = { ...NAMED, type: [6, text], uniqueItems: [20, boolean] };
const PATH: Names = { ...NAMED, type: [5, text], uniqueItems: [19, boolean] };

function readParameter(item: Uint8Array): unknown {
  const { 1: body, 2: other } = fieldsOf(fieldsOf(item)[1]![0] as Uint8Array);
  if (body) return message(body[0] as Uint8Array, BODY, 6);
  const { 3: query, 4: path } = fieldsOf(other![0] as Uint8Array);
  return query ? message(query[0] as Uint8Array, QUERY, 23) : message(path![0] as Uint8Array, PATH, 22);
}

const readResponse: Read = ([value]) =>
  message(value as Uint8Array, { description: [1, text], schema: [2, wrapped(1, readSchema)] }, 5);

const readOperation: Read = ([value]) =>
  message(
    value as Uint8Array,
    {
      tags: [1, texts],
      description: [3, text],
      operationId: [5, text],
      produces: [6, texts],
      consumes: [7, texts],
      parameters: [8, (items) => items.map((item) => readParameter(item as Uint8Array))],
      responses: [9, mapIn(1, wrapped(1, readResponse))],
      schemes: [10, texts],
    },
    13,
  );

const METHODS: Names = Object.fromEntries(
  ["get", "put", "post", "delete", "options", "head", "patch"].map((method, i) => [method, [i + 2, readOperation]]),
);
METHODS["parameters"] = [9, (items) => items.map((item) => readParameter(item as Uint8Array))];
const readPath: Read = ([value]) => message(value as Uint8Array, METHODS, 10);

const readApiKey: Read = ([value]) =>
  message(value as Uint8Array, { type: [1, text], name: [2, text], in: [3, text], description: [4, text] }, 5);

const readSwagger = (bytes: Uint8Array) =>
  message(
    bytes,
    {
      swagger: [1, text],
      info: [2, readInfo],
      paths: [8, mapIn(2, readPath)],
      definitions: [9, mapIn(1, readSchema)],
      security: [12, (values) => values.map((value) => mapIn(1, wrapped(1, texts))([value]))],
      securityDefinitions: [13, mapIn(1, wrapped(2, readApiKey))],
    },
    16,
  );

it("says what the JSON document says", () => {
  const document = renderV2();
  expect(readSwagger(encodeSwagger(document))).toEqual(document);
});

it("writes what only definitions of others have", () => {
  const schema = {
    type: "string",
    description: `größer als ${"x".repeat(100_000)} 🧪`,
    default: ["a", { b: null }],
    enum: ["a", 1, ["x"]],
    maximum: 0.5,
    minLength: 2 ** 40 + 300,
    pattern: "^[à-ü]+$",
    additionalProperties: { items: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "self > 1" }],
  };
  const document = { swagger: "2.0", definitions: { "com.example.v1.Größe": schema, empty: {} } };
  expect(readSwagger(encodeSwagger(document))).toEqual(document);
});

it.each([
  { name: "an unknown field", document: { host: "x" }, error: "Document.host has no protobuf form" },
  { name: "another type", document: { swagger: 2 }, error: "2 is no string" },
  {
    name: "an unknown kind of parameter",
    document: { paths: { "/a": { get: { parameters: [{ in: "cookie" }] } } } },
    error: 'ParametersItem with in "cookie" has no protobuf form',
  },
])("refuses $name rather than leave it out", ({ document, error }) => {
  expect(() => encodeSwagger(document)).toThrow(error);
});
