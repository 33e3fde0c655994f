import { openAdminApi } from "./api.ts";
import { findDetached } from "./detached.ts";
import { findHome } from "./home.ts";

/** Prints what runs. Exit code 0 only when the control plane runs and is ready. */
export async function status(): Promise<void> {
  const home = findHome();
  console.log(`home           ${home.dir}`);
  for (const name of ["control-plane", "agent", "containerd"] as const) {
    const found = findDetached(home, name);
    console.log(`${name.padEnd(14)} ${found ? `running, pid ${found.pid}` : "not running"}`);
  }
  if (!findDetached(home, "control-plane")) {
    process.exitCode = 1;
    return;
  }
  const api = openAdminApi(home);
  const { status: code } = await api.call("GET", "/readyz");
  console.log(`api            ${api.server} ${code === 200 ? "ready" : `not ready (HTTP ${code})`}`);
  if (code !== 200) process.exitCode = 1;
}
