import { resolve } from "node:path";
import { connectRuntime } from "../cri/index.ts";
import { importImage } from "../image/index.ts";
import { findProgram } from "../runtime/index.ts";
import { AgentError } from "./agent-error.ts";
import { readMembership } from "./node-config.ts";

/** `agent image import FILE…`: prints each image as it is loaded. */
export async function importImages(
  files: string[],
  { stateDir, runtimeEndpoint, name }: { stateDir: string; runtimeEndpoint?: string; name?: string },
): Promise<void> {
  if (name !== undefined && files.length > 1) throw new AgentError("--name is for one file");
  const ctr = findProgram("ctr");
  if (!ctr) throw new AgentError("ctr, which comes with containerd, is not installed");
  const endpoint = runtimeEndpoint ?? readMembership(resolve(stateDir)).config.runtimeEndpoint;
  const socketPath = endpoint.replace(/^unix:\/\//, "");
  const cri = connectRuntime({ socketPath });
  try {
    for (const file of files) {
      for (const image of await importImage({ path: resolve(file), name, socketPath, ctr, cri })) {
        console.log(`${image.name} ${image.id} ${(image.sizeBytes / 1e6).toFixed(1)} MB`);
      }
    }
  } catch (cause) {
    throw new AgentError((cause as Error).message);
  } finally {
    cri.close();
  }
}
