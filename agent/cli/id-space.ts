import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { KubeletConfiguration } from "../configuration/index.ts";
import { findProgram } from "../runtime/index.ts";
import { type IdSpace, idSpace, parseSubordinateIds } from "../userns/index.ts";
import { AgentError } from "./agent-error.ts";

const run = promisify(execFile);
/** Where the machine has a user of this name, the ids that are set apart for it are the pods' (KEP-127). */
const KUBELET_USER = "kubelet";
/** The answer may come from a directory server. */
const TIMEOUT_MS = 30_000;

/** The ids that pods with user namespaces of their own may get. @throws AgentError if there are not enough */
export async function readIdSpace({ userNamespaces, maxPods }: KubeletConfiguration): Promise<IdSpace> {
  try {
    return idSpace({ idsPerPod: userNamespaces.idsPerPod, maxPods }, await subordinateIds());
  } catch (cause) {
    throw new AgentError(`user namespaces: ${(cause as Error).message}`);
  }
}

async function subordinateIds() {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "");
  const program = findProgram("getsubids");
  if (!program || !users.split("\n").some((line) => line.startsWith(`${KUBELET_USER}:`))) return undefined;
  const [ofUser, ofGroup] = await Promise.all(
    [[], ["-g"]].map(async (options) => {
      const { stdout } = await run(program, [...options, KUBELET_USER], { timeout: TIMEOUT_MS });
      return stdout;
    }),
  );
  if (ofUser !== ofGroup) throw new Error(`mismatched subuids and subgids for user "${KUBELET_USER}"`);
  return parseSubordinateIds(ofUser!);
}
