/** Run inside a lab node's network namespace: starts its containerd, or removes all that the node left. */
import { join } from "node:path";
import { purgeNode } from "../../agent/purge/index.ts";
import { ensureContainerd } from "../../agent/runtime/index.ts";

const [command, dir, instance] = process.argv.slice(2) as [string, string, string];
const containerd = {
  dir: join(dir, "containerd"),
  pidFile: join(dir, "containerd.pid"),
  logFile: join(dir, "containerd.log"),
};

if (command === "start") await ensureContainerd(containerd);
else await purgeNode({ stateDir: join(dir, "agent"), instance, containerd }, (message) => console.error(message));
