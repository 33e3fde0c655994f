const BLOCK_BYTES = 512;

/** One member of a tar stream. Its content must be read (or skipped) before the next member is asked for. */
export interface TarMember {
  /** The raw header, to pass it on. */
  header: Buffer;
  /** Without a leading `./`. */
  name: string;
  sizeBytes: number;
  /** With the padding to whole blocks, to pass it on. */
  blocks(): AsyncGenerator<Buffer>;
}

/**
 * The members of a tar archive, as it streams by. Members that only describe the next one (long names, PAX) come as they
 * are, under their own odd names.
 * @throws Error if the stream is no tar archive, or ends within a member
 */
export async function* readTarMembers(input: AsyncIterable<Buffer>): AsyncGenerator<TarMember> {
  const reader = createReader(input);
  for (;;) {
    const header = await reader.exactly(BLOCK_BYTES);
    if (!header) throw new Error("the archive ends before its end mark");
    if (header.every((byte) => byte === 0)) return;
    if (!hasValidChecksum(header)) throw new Error("not a tar archive");
    const sizeBytes = parseSize(header);
    let left = Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
    const blocks = async function* () {
      while (left > 0) {
        const chunk = await reader.upTo(left);
        if (!chunk) throw new Error("the archive ends within a file");
        left -= chunk.length;
        yield chunk;
      }
    };
    yield { header, name: parseName(header), sizeBytes, blocks };
    for await (const _ of blocks());
  }
}

/** The whole content of a member. @throws RangeError if it is larger than `maxBytes` */
export async function readMember(member: TarMember, maxBytes: number): Promise<Buffer> {
  if (member.sizeBytes > maxBytes) throw new RangeError(`${member.name} is larger than ${maxBytes} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of member.blocks()) chunks.push(chunk);
  return Buffer.concat(chunks).subarray(0, member.sizeBytes);
}

/** The member with another content: a header of the right size and sum, the content, the padding. */
export function renderMember({ header }: TarMember, content: Buffer): Buffer {
  const changed = Buffer.from(header);
  changed.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  changed.write(" ".repeat(8), 148);
  const sum = changed.reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([changed, content, padding]);
}

export const END_OF_ARCHIVE = Buffer.alloc(2 * BLOCK_BYTES);

const text = (field: Buffer) => field.toString("utf8").replace(/\0.*$/s, "");

function parseName(header: Buffer): string {
  const name = text(header.subarray(0, 100));
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? text(header.subarray(345, 500)) : "";
  return (prefix && header[263] === 0x30 ? `${prefix}/${name}` : name).replace(/^\.\//, "");
}

/** Octal digits; GNU tar writes sizes over 8 GiB in binary, marked by the top bit. */
function parseSize(header: Buffer): number {
  if (header[124]! & 0x80) return Number(header.readBigUInt64BE(128));
  const size = Number.parseInt(text(header.subarray(124, 136)).trim() || "0", 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error("not a tar archive");
  return size;
}

function hasValidChecksum(header: Buffer): boolean {
  const stored = Number.parseInt(text(header.subarray(148, 156)).trim(), 8);
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return stored === sum;
}

function createReader(input: AsyncIterable<Buffer>) {
  const chunks = input[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  async function fill(): Promise<boolean> {
    const { value, done } = await chunks.next();
    if (done) return false;
    buffered = buffered.length === 0 ? value : Buffer.concat([buffered, value]);
    return true;
  }
  function take(bytes: number): Buffer {
    const taken = buffered.subarray(0, bytes);
    buffered = buffered.subarray(bytes);
    return taken;
  }
  return {
    async exactly(bytes: number): Promise<Buffer | undefined> {
      while (buffered.length < bytes) if (!(await fill())) return undefined;
      return take(bytes);
    },
    async upTo(bytes: number): Promise<Buffer | undefined> {
      while (buffered.length === 0) if (!(await fill())) return undefined;
      return take(Math.min(bytes, buffered.length));
    },
  };
}
