/** One member of a tar archive. Directories have no content and a name that ends in a slash. */
export interface TarEntry {
  name: string;
  content?: Buffer;
  /** Permission bits; 0644 for a file and 0755 for a directory unless given. */
  mode?: number;
  linkTarget?: string;
}

const BLOCK_BYTES = 512;

/** A POSIX ustar archive, the same bytes for the same entries: owner root, time zero. Names have at most 100 bytes. */
export function renderTar(entries: TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = entry.content ?? Buffer.alloc(0);
    const padding = (BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES;
    return [renderHeader(entry, content.length), content, Buffer.alloc(padding)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function renderHeader({ name, mode, linkTarget }: TarEntry, sizeBytes: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`tar member name too long: ${name}`);
  const isDirectory = name.endsWith("/");
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(mode ?? (isDirectory ? 0o755 : 0o644), 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(sizeBytes, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write(linkTarget !== undefined ? "2" : isDirectory ? "5" : "0", 156);
  header.write(linkTarget ?? "", 157);
  header.write("ustar\u000000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
