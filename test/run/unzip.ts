import { inflateRawSync } from "node:zlib";

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;

/** One file of a ZIP archive that lies in memory whole. @throws Error if it is not in there, or is packed another way */
export function unzipFile(archive: Buffer, name: string): Buffer {
  let at = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (at < 0 || archive.readUInt32LE(at) !== END_SIGNATURE) throw new Error("not a ZIP archive");
  const count = archive.readUInt16LE(at + 10);
  at = archive.readUInt32LE(at + 16);
  for (let i = 0; i < count && archive.readUInt32LE(at) === ENTRY_SIGNATURE; i++) {
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + 46, at + 46 + nameLength) === name) {
      const method = archive.readUInt16LE(at + 10);
      const packedBytes = archive.readUInt32LE(at + 20);
      const local = archive.readUInt32LE(at + 42);
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const packed = archive.subarray(start, start + packedBytes);
      if (method === STORED) return packed;
      if (method === DEFLATED) return inflateRawSync(packed);
      throw new Error(`${name} is packed by method ${method}`);
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`no ${name} in the archive`);
}
