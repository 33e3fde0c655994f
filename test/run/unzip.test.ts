import { deflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { unzipFile } from "./unzip.ts";

function zip(name: string, content: string, method: number): Buffer {
  const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content);
  const local = Buffer.alloc(30);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const start = local.length + name.length + packed.length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([local, Buffer.from(name), packed, entry, Buffer.from(name), end]);
}

it.each([
  { name: "stored", method: 0 },
  { name: "deflated", method: 8 },
])("takes out a $name file", ({ method }) => {
  expect(unzipFile(zip("helm/helm", "binary", method), "helm/helm").toString()).toBe("binary");
});

it.each([
  { name: "another file's name", archive: zip("a", "x", 0), want: "no b in the archive" },
  { name: "an unknown method", archive: zip("b", "x", 12), want: "packed by method 12" },
  { name: "no archive", archive: Buffer.from("hello"), want: "not a ZIP archive" },
])("refuses $name", ({ archive, want }) => expect(() => unzipFile(archive, "b")).toThrow(want));
