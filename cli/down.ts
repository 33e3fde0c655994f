import { existsSync, rmdirSync, rmSync } from "node:fs";
import { purgeNode } from "../agent/purge/index.ts";
import { containerdIn, withStartLock } from "../agent/runtime/index.ts";
import { stopDetached } from "./detached.ts";
import { progress, UserError } from "./errors.ts";
import { assertOurs, findHome, type Home, listStrangers, madeByUs, PROCESS_NAMES } from "./home.ts";

const GRACE_SECONDS = 10;

export async function down(options: { purge: boolean }): Promise<void> {
  const home = findHome();
  if (!existsSync(home.dir)) return progress(`nothing runs: there is no ${home.dir}`);
  assertOurs(home);
  // An `up` in another terminal is left to finish its step, and starts nothing in between.
  await withStartLock(home.startLock, () => stopAll(home, options));
  if (options.purge) await purge(home);
}

async function stopAll(home: Home, options: { purge: boolean }): Promise<void> {
  // containerd goes on until the pods are gone.
  const names = options.purge ? PROCESS_NAMES.filter((name) => name !== "containerd") : PROCESS_NAMES;
  for (const name of names) {
    try {
      if (await stopDetached(home, name, GRACE_SECONDS)) progress(`stopped the ${name}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
      throw new UserError(`the ${name} is another user's: it cannot be stopped`, "repeat it as root");
    }
  }
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
  for (const path of madeByUs(home)) rmSync(path, { recursive: true, force: true });
  const strangers = listStrangers(home);
  if (strangers.length > 0) return progress(`kept ${home.dir}: it also holds ${strangers.join(", ")}`);
  rmdirSync(home.dir);
  progress(`removed ${home.dir}`);
}
