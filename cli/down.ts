import { rmSync } from "node:fs";
import { PROCESS_NAMES, stopDetached } from "./detached.ts";
import { progress } from "./errors.ts";
import { findHome } from "./home.ts";

const GRACE_SECONDS = 10;

export async function down(options: { purge: boolean }): Promise<void> {
  const home = findHome();
  for (const name of PROCESS_NAMES) {
    if (await stopDetached(home, name, GRACE_SECONDS)) progress(`stopped the ${name}`);
  }
  if (options.purge) {
    rmSync(home.dir, { recursive: true, force: true });
    progress(`removed ${home.dir}`);
  }
}
