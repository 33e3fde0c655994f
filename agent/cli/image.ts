import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { AgentError } from "./agent-error.ts";
import { readMembership } from "./node-config.ts";

/** `agent image import FILE…` until agent/image does it: through containerd's own tool, into Kubernetes' namespace. */
export async function importImages(
  files: string[],
  { stateDir, runtimeEndpoint }: { stateDir: string; runtimeEndpoint?: string },
): Promise<void> {
  const endpoint = runtimeEndpoint ?? readMembership(resolve(stateDir)).config.runtimeEndpoint;
  const socket = endpoint.replace(/^unix:\/\//, "");
  for (const file of files) {
    try {
      const args = ["--address", socket, "--namespace", "k8s.io", "images", "import", resolve(file)];
      const { stdout } = await promisify(execFile)("ctr", args);
      process.stdout.write(stdout);
    } catch (cause) {
      throw new AgentError(`${file} could not be imported: ${(cause as Error).message}`);
    }
  }
}
