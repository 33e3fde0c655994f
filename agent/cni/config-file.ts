import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "../state/index.ts";
import { type CniNetwork, renderCniConfig } from "./config.ts";

/** The runtime takes the first file by name: a network of the user's own, named before it, is used instead. */
const FILE_NAME = "90-hearth.conflist";
const CONFIG_FILE = /\.(conf|conflist|json)$/;

export type CniOutcome =
  | { kind: "written" }
  | { kind: "unchanged" }
  /** Another configuration comes first, and the runtime uses that one. */
  | { kind: "overridden"; file: string };

/** Puts the pod network's configuration in place, whole or not at all. May be repeated. */
export async function writeCniConfig(directory: string, network: CniNetwork): Promise<CniOutcome> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  const path = join(directory, FILE_NAME);
  const text = renderCniConfig(network);
  const first = (await readdir(directory)).filter((name) => CONFIG_FILE.test(name)).sort()[0];
  if ((await readFile(path, "utf8").catch(() => undefined)) !== text) await writeFileAtomically(path, text, 0o644);
  else if (first === FILE_NAME) return { kind: "unchanged" };
  return first !== undefined && first < FILE_NAME ? { kind: "overridden", file: first } : { kind: "written" };
}

/** The user's own configuration, which the runtime takes rather than ours; undefined if there is none. */
export async function foreignCniConfig(directory: string): Promise<string | undefined> {
  const first = (await readdir(directory).catch(() => [])).filter((name) => CONFIG_FILE.test(name)).sort()[0];
  return first !== undefined && first < FILE_NAME ? first : undefined;
}

/** For `hearth down --purge`. */
export const removeCniConfig = (directory: string) => rm(join(directory, FILE_NAME), { force: true });
