/** What changes from run to run, as a disk of its own: the agent in one file, and the test images. */
import { Buffer } from "node:buffer";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { renderOciArchive, socatImage, writeTestImages } from "../../images/index.ts";
import { command } from "./command.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** Always the same: a snapshot remembers the size of its disks. */
const SIZE = "128M";

/** Where the guest sees it. */
export const PAYLOAD = "/payload";
/** An image that does nothing but take room: twice this, since the runtime keeps its layer as it came, too. */
export const BALLAST = {
  name: "docker.io/library/ballast:1",
  files: [{ name: "ballast", content: Buffer.alloc(24 * 2 ** 20, 1) }],
};
export const BALLAST_ARCHIVE = `${PAYLOAD}/ballast.tar`;
/** Servers and clients of TCP, UDP and SCTP. */
export const SOCAT_ARCHIVE = `${PAYLOAD}/socat.tar`;
export const AGENT = `${PAYLOAD}/agent/cli/main.mjs`;

/** @param target the disk's file */
export async function buildPayload(target: string): Promise<void> {
  const work = `${target}.files`;
  mkdirSync(join(work, "agent/cli"), { recursive: true });
  await build({
    entryPoints: [join(ROOT, "agent/cli/main.ts")],
    outfile: join(work, "agent/cli/main.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    legalComments: "none",
    logLevel: "warning",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  // Read at run time, each from where its reader's file stands.
  for (const proto of ["api.proto", "containerd-events.proto"]) {
    copyFileSync(join(ROOT, "agent/cri", proto), join(work, "agent/cli", proto));
  }
  copyFileSync(join(ROOT, "package.json"), join(work, "package.json"));
  writeTestImages(join(work, "images"));
  writeFileSync(join(work, "ballast.tar"), renderOciArchive(BALLAST));
  writeFileSync(join(work, "socat.tar"), renderOciArchive(socatImage()));
  await command("truncate", ["-s", SIZE, target]);
  await command("mke2fs", ["-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d", work, target]);
  rmSync(work, { recursive: true });
}
