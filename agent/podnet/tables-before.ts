import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runNft } from "../programs/index.ts";
import { writeFileAtomically } from "../state/index.ts";

const recordOf = (stateDir: string) => join(stateDir, "nft-tables-before");

/**
 * Writes down, once, which tables the machine has before a pod is started: the plugins make tables of `iptables` for host
 * ports, and none of them takes those away again.
 */
export async function recordTables(stateDir: string): Promise<void> {
  if ((await readTablesBefore(stateDir)) !== undefined) return;
  await writeFileAtomically(recordOf(stateDir), await runNft(["list", "tables"]));
}

/** Lines as `table ip nat`; undefined if nobody wrote them down. */
export async function readTablesBefore(stateDir: string): Promise<string[] | undefined> {
  const text = await readFile(recordOf(stateDir), "utf8").catch(() => undefined);
  return text?.split("\n").map((line) => line.trim());
}
