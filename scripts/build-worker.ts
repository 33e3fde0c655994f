/**
 * Bundles the Worker. Run as a script it also lets wrangler build the same Worker without deploying it, prints the
 * gzipped size and fails over the limit; the CLI calls `buildWorker` alone.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";

const ROOT = dirname(import.meta.dirname);
/** The platform's limit on a Worker of the free plan, after gzip. */
const MAX_GZIP_BYTES = 3 * 1024 * 1024;

/** The Worker for workerd, and the process around it (front door) for Node.js: one file each, in dist/. */
export const WORKER_BUNDLE = join(ROOT, "dist/worker.js");
export const CONTROL_PLANE_BUNDLE = join(ROOT, "dist/control-plane.mjs");

const BUNDLES: Record<string, BuildOptions> = {
  [WORKER_BUNDLE]: {
    entryPoints: [join(ROOT, "control-plane/worker.ts")],
    platform: "browser",
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    define: { "process.env.NODE_ENV": '"production"' },
  },
  [CONTROL_PLANE_BUNDLE]: {
    entryPoints: [join(ROOT, "cli/embedded/main.ts")],
    platform: "node",
    external: ["workerd"],
  },
};

const GENERATOR_INPUTS = ["scripts/generate-schema", "shared/schema/facts", "package-lock.json"];
const GENERATED_STAMP = join(ROOT, "generated/inputs.sha256");

/** Makes `generated/` where it is missing or older than what it is made of. @throws Error with the generator's output */
export function generateSources(): void {
  const files = GENERATOR_INPUTS.flatMap((path) =>
    statSync(join(ROOT, path)).isDirectory() ? readdirSync(join(ROOT, path)).map((name) => join(path, name)) : [path],
  );
  const stampMs = existsSync(GENERATED_STAMP) ? statSync(GENERATED_STAMP).mtimeMs : 0;
  if (files.every((file) => statSync(join(ROOT, file)).mtimeMs <= stampMs)) return;
  const generator = spawnSync(process.execPath, [join(ROOT, "scripts/generate-schema/main.ts")], { encoding: "utf8" });
  if (generator.status !== 0) throw new Error(`the schema was not generated:\n${generator.stdout}${generator.stderr}`);
  // The generator leaves its stamp alone when only times changed.
  utimesSync(GENERATED_STAMP, new Date(), new Date());
}

/** Rebuilds the bundles whose sources changed since they were made. @returns those rebuilt */
export async function buildBundles(): Promise<string[]> {
  generateSources();
  const rebuilt: string[] = [];
  for (const [outfile, options] of Object.entries(BUNDLES)) {
    if (isFresh(outfile)) continue;
    await bundle(outfile, options);
    rebuilt.push(outfile);
  }
  return rebuilt;
}

async function bundle(outfile: string, options: BuildOptions): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true });
  const result = await build({
    ...options,
    absWorkingDir: ROOT,
    bundle: true,
    format: "esm",
    target: "es2024",
    write: false,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
  });
  // The list of inputs comes last: a build that was interrupted leaves no list, and is done again.
  writeAtomically(outfile, result.outputFiles[0]!.contents);
  writeAtomically(inputsFile(outfile), JSON.stringify(Object.keys(result.metafile.inputs)));
}

/** A bundle is fresh when none of the files it was made of is newer (npm ci renews all of node_modules at once). */
function isFresh(outfile: string): boolean {
  if (!existsSync(outfile) || !existsSync(inputsFile(outfile))) return false;
  const builtMs = statSync(inputsFile(outfile)).mtimeMs;
  const inputs = JSON.parse(readFileSync(inputsFile(outfile), "utf8")) as string[];
  return [...inputs, "package-lock.json", relative(ROOT, import.meta.filename)].every((input) => {
    const path = join(ROOT, input);
    return existsSync(path) && statSync(path).mtimeMs <= builtMs;
  });
}

const inputsFile = (outfile: string) => `${outfile}.inputs.json`;

function writeAtomically(path: string, contents: string | Uint8Array): void {
  writeFileSync(`${path}.${process.pid}.tmp`, contents);
  renameSync(`${path}.${process.pid}.tmp`, path);
}

function checkSize(): boolean {
  const bytes = readFileSync(WORKER_BUNDLE);
  const gzipBytes = gzipSync(bytes, { level: 9 }).byteLength;
  const kib = (count: number) => `${(count / 1024).toFixed(0)} KiB`;
  console.log(`worker: ${kib(bytes.byteLength)}, ${kib(gzipBytes)} gzipped (limit ${kib(MAX_GZIP_BYTES)})`);
  if (gzipBytes > MAX_GZIP_BYTES) console.error("the Worker is too large to deploy: see which import made it so");
  return gzipBytes <= MAX_GZIP_BYTES;
}

/** `wrangler deploy --dry-run`: the hosted build of the same sources. */
function dryRun(): boolean {
  const wrangler = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), "deploy", "--dry-run", "--outdir", join(ROOT, "dist/hosted")],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1", NO_COLOR: "1" },
      timeout: 120_000,
    },
  );
  if (wrangler.status === 0) {
    console.log(`hosted: ${/Total Upload:.*/.exec(wrangler.stdout)?.[0] ?? "built"}`);
    return true;
  }
  console.error(`wrangler deploy --dry-run failed:\n${wrangler.stdout}\n${wrangler.stderr}`);
  return false;
}

if (import.meta.main) {
  await buildBundles();
  if (!checkSize() || !dryRun()) process.exitCode = 1;
}
