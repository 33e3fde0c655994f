import { existsSync } from "node:fs";
import { join } from "node:path";
import { handOver } from "./hand-over.ts";
import { findHome, type Home } from "./home.ts";

const AGENT_ENTRY = join(import.meta.dirname, "../agent/cli/main.ts");
/** Commands that speak of a node that has joined. */
const OF_A_NODE = new Set(["run", "status", "image"]);

/** `hearth agent …`: hands over to the agent's command, for the node of this home where there is one. */
export const agent = (args: string[]): Promise<void> => handOver(AGENT_ENTRY, withStateDir(args, findHome()));

/** `up` keeps its node below HEARTH_HOME; without this the agent would look in /var/lib/hearth. */
export function withStateDir(
  args: string[],
  home: Home,
  hasJoined = existsSync(join(home.agentDir, "credential")),
): string[] {
  const isGiven = args.some((arg) => arg === "--state-dir" || arg.startsWith("--state-dir="));
  if (isGiven || !hasJoined || !OF_A_NODE.has(args[0] ?? "") || args.includes("--help")) return args;
  return [...args, "--state-dir", home.agentDir];
}
