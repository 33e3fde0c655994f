import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { messageOf } from "../../shared/message-of.ts";
import type { CriClient } from "../cri/index.ts";
import { dockerImageNames, nameOciImages } from "./image-names.ts";
import { END_OF_ARCHIVE, readMember, readTarMembers, renderMember } from "./tar-members.ts";

/** Indexes name a few manifests; a megabyte would be thousands. */
const MAX_INDEX_BYTES = 4 * 1024 * 1024;
const MAX_ERROR_CHARS = 4096;
/** The runtime's CRI side takes over what was imported within moments. */
const VISIBLE_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

export interface ImportedImage {
  name: string;
  /** `sha256:…` of its configuration. */
  id: string;
  sizeBytes: number;
}

/**
 * Loads an OCI layout (a tar, plain or compressed with gzip or zstd, or a directory) or a docker archive into the
 * runtime, where pods find it. It streams: nothing is unpacked on the way. May be repeated.
 * @param ctr the runtime's own tool, which comes with it
 * @throws Error that names the file and what is wrong with it
 */
export async function importImage({
  path,
  name,
  socketPath,
  ctr = "ctr",
  cri,
}: {
  path: string;
  name?: string;
  socketPath: string;
  ctr?: string;
  cri: CriClient;
}): Promise<ImportedImage[]> {
  try {
    const names: string[] = [];
    const archive = nameImages(await openArchive(path), name, (found) => names.push(...found));
    await feedRuntime(archive, { socketPath, ctr });
    if (names.length === 0)
      throw new Error("the archive does not say what its image is called; tag it before saving it");
    return await Promise.all([...new Set(names)].map((found) => untilVisible(cri, found)));
  } catch (cause) {
    throw new Error(`cannot import ${path}: ${messageOf(cause)}`, { cause });
  }
}

async function openArchive(path: string): Promise<AsyncIterable<Buffer>> {
  if ((await stat(path)).isDirectory()) {
    const tar = spawn("tar", ["-C", path, "-cf", "-", "oci-layout", "index.json", "blobs"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    tar.once("error", (error) => tar.stdout.destroy(error));
    return tar.stdout;
  }
  const file = await open(path);
  const magic = Buffer.alloc(4);
  await file.read(magic, 0, 4, 0).finally(() => file.close());
  const input = createReadStream(path);
  if (magic.readUInt16BE(0) === 0x1f8b) return decompress(input, createGunzip());
  if (magic.readUInt32LE(0) === 0xfd2fb528) return decompress(input, createZstdDecompress());
  return input;
}

/** A broken archive surfaces where it is read. */
function decompress(input: Readable, through: NodeJS.ReadWriteStream & Readable): Readable {
  input.once("error", (error) => through.destroy(error));
  return input.pipe(through);
}

/** The archive as it came, but for the names in its index. */
async function* nameImages(
  input: AsyncIterable<Buffer>,
  name: string | undefined,
  onNames: (names: string[]) => void,
): AsyncGenerator<Buffer> {
  let isArchive = false;
  for await (const member of readTarMembers(input)) {
    if (member.name === "index.json") {
      const { index, names } = nameOciImages(await readMember(member, MAX_INDEX_BYTES), name);
      onNames(names);
      isArchive = true;
      yield renderMember(member, index);
    } else if (member.name === "manifest.json") {
      const content = await readMember(member, MAX_INDEX_BYTES);
      onNames(dockerImageNames(content));
      isArchive = true;
      yield renderMember(member, content);
    } else {
      yield member.header;
      yield* member.blocks();
    }
  }
  if (!isArchive) throw new Error("it is neither an OCI image layout nor a docker archive");
  yield END_OF_ARCHIVE;
}

async function feedRuntime(
  archive: AsyncIterable<Buffer>,
  { socketPath, ctr }: { socketPath: string; ctr: string },
): Promise<void> {
  const child = spawn(ctr, ["--address", socketPath, "--namespace", "k8s.io", "images", "import", "-"], {
    stdio: ["pipe", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-MAX_ERROR_CHARS);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(said.trim() || `${ctr} ended with code ${code}`));
    });
  });
  const fed = pipeline(Readable.from(archive), child.stdin);
  const [feeding, importing] = await Promise.allSettled([fed, ended]);
  // What we found wrong says more than the runtime's complaint about a stream that stopped.
  if (feeding.status === "rejected" && (feeding.reason as NodeJS.ErrnoException).code !== "EPIPE") throw feeding.reason;
  if (importing.status === "rejected") throw importing.reason;
}

async function untilVisible(cri: CriClient, name: string): Promise<ImportedImage> {
  const deadlineMs = Date.now() + VISIBLE_TIMEOUT_MS;
  for (;;) {
    const image = await cri.imageStatus(name);
    if (image) return { name, id: image.id, sizeBytes: image.size };
    if (Date.now() > deadlineMs) throw new Error(`the runtime took the archive, but has no image ${name}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
