import type { Json } from "../../api/json.ts";
import { decodeBase64 } from "../base64.ts";
import type { LeafKind } from "./message.ts";
import { WireType } from "./reader.ts";
import type { Writer } from "./writer.ts";

/** Writes a value that has no parts, after its tag: the reverse of `readLeaf`. Undefined and null are Go's zero. */
export function writeLeaf(writer: Writer, kind: LeafKind, value: Json | undefined): void {
  switch (kind) {
    case "string":
      writer.string(typeof value === "string" ? value : "");
      return;
    case "boolean":
      writer.boolean(value === true);
      return;
    case "int32":
    case "int64":
      writer.varint(typeof value === "number" ? value : 0);
      return;
    case "double":
      writer.double(typeof value === "number" ? value : 0);
      return;
    case "bytes":
      writer.bytes(decodeBase64(typeof value === "string" ? value : ""));
      return;
  }
  const start = writer.begin();
  writeStruct(writer, kind, value);
  writer.end(start);
}

type StructKind = Exclude<LeafKind, "string" | "boolean" | "int32" | "int64" | "double" | "bytes">;

/** Types that are structs in Go, and so messages of their own here. */
function writeStruct(writer: Writer, kind: StructKind, value: Json | undefined): void {
  switch (kind) {
    case "time":
    case "microTime":
      if (typeof value === "string") writeTime(writer, value);
      return;
    case "quantity":
      writeText(writer, 1, typeof value === "string" ? value : "0");
      return;
    case "intOrString":
      writeIntOrString(writer, value);
      return;
    case "json":
      if (value !== undefined && value !== null) writeText(writer, 1, JSON.stringify(value));
      return;
    default:
      throw new Error(`unknown leaf ${kind satisfies never}`);
  }
}

function writeText(writer: Writer, number: number, text: string): void {
  writer.tag(number, WireType.bytes);
  writer.string(text);
}

function writeNumber(writer: Writer, number: number, value: number): void {
  writer.tag(number, WireType.varint);
  writer.varint(value);
}

/** `{seconds=1, nanos=2}`; a time without a fraction has no nanos, but says so. */
function writeTime(writer: Writer, text: string): void {
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? "";
  writeNumber(writer, 1, Math.floor(Date.parse(text) / 1000));
  writeNumber(writer, 2, Number(fraction.padEnd(9, "0")));
}

/** `{type=1, intVal=2, strVal=3}`, type 1 being a string; all three always. */
function writeIntOrString(writer: Writer, value: Json | undefined): void {
  const isText = typeof value === "string";
  writeNumber(writer, 1, isText ? 1 : 0);
  writeNumber(writer, 2, typeof value === "number" ? value : 0);
  writeText(writer, 3, isText ? value : "");
}
