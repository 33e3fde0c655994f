import { isReady } from "../shared/api/conditions.ts";
import { openAdminApi } from "./api.ts";
import { findDetached } from "./detached.ts";
import { findHome, PROCESS_NAMES } from "./home.ts";

/** Prints what runs. Exit code 0 only when the control plane runs and is ready. */
export async function status(): Promise<void> {
  const home = findHome();
  console.log(`home           ${home.dir}`);
  for (const name of PROCESS_NAMES) {
    const found = findDetached(home, name);
    console.log(`${name.padEnd(14)} ${found ? `running, pid ${found.pid}` : "not running"}`);
  }
  if (!findDetached(home, "control-plane")) {
    process.exitCode = 1;
    return;
  }
  const api = openAdminApi(home);
  const { status: code, text } = await api.call("GET", "/readyz");
  console.log(`api            ${api.server} ${code === 200 ? "ready" : `not ready (HTTP ${code}: ${text.trim()})`}`);
  if (code !== 200) process.exitCode = 1;
  for (const { name, isReady } of await listNodes(api))
    console.log(`node           ${name} ${isReady ? "Ready" : "NotReady"}`);
}

interface NodeState {
  name: string;
  isReady: boolean;
}

async function listNodes(api: {
  call(method: string, path: string): Promise<{ status: number; text: string }>;
}): Promise<NodeState[]> {
  const { status: code, text } = await api.call("GET", "/api/v1/nodes");
  if (code !== 200) return [];
  const { items } = JSON.parse(text) as {
    items: { metadata: { name: string }; status?: { conditions?: { type: string; status: string }[] } }[];
  };
  return items.map(({ metadata, status: nodeStatus }) => ({
    name: metadata.name,
    isReady: isReady({ status: nodeStatus ?? null }),
  }));
}
