import { existsSync, rmSync } from "node:fs";
import { purgeNode } from "../agent/purge/index.ts";
import { containerdIn } from "../agent/runtime/index.ts";
import { stopDetached } from "./detached.ts";
import { progress, UserError } from "./errors.ts";
import { findHome, type Home, PROCESS_NAMES } from "./home.ts";

const GRACE_SECONDS = 10;

export async function down(options: { purge: boolean }): Promise<void> {
  const home = findHome();
  // containerd goes on until the pods are gone.
  const names = options.purge ? PROCESS_NAMES.filter((name) => name !== "containerd") : PROCESS_NAMES;
  for (const name of names) {
    if (await stopDetached(home, name, GRACE_SECONDS)) progress(`stopped the ${name}`);
  }
  if (options.purge) await purge(home);
}

async function purge(home: Home): Promise<void> {
  let isClean = true;
  if (existsSync(home.agentDir) || existsSync(home.containerdDir)) {
    if (process.getuid?.() !== 0) throw new UserError("only root can remove what the agent made", "repeat it as root");
    progress("removing pods and their networks");
    await purgeNode(
      { stateDir: home.agentDir, instance: home.instance, containerd: containerdIn(home.containerdDir) },
      (message) => {
        isClean = false;
        progress(`left behind: ${message}`);
      },
    );
  }
  if (!isClean)
    throw new UserError(`not everything could be removed; ${home.dir} is kept`, "repeat ./hearth down --purge");
  rmSync(home.dir, { recursive: true, force: true });
  progress(`removed ${home.dir}`);
}
