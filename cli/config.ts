import { readFileSync, writeFileSync } from "node:fs";
import type { ClusterNetwork } from "../shared/api/cluster-network.ts";
import { DEFAULT_PORT, type Home } from "./home.ts";

/** What `up` was told, kept for the commands that come after it. */
export interface HomeConfig {
  port: number;
  /** Undefined: the default one, or what the cluster has. */
  network?: ClusterNetwork;
}

export function readConfig(home: Home): HomeConfig {
  try {
    return { port: DEFAULT_PORT, ...(JSON.parse(readFileSync(home.configFile, "utf8")) as Partial<HomeConfig>) };
  } catch {
    return { port: DEFAULT_PORT }; // not written yet: `up` never ran here
  }
}

export function writeConfig(home: Home, config: HomeConfig): void {
  writeFileSync(home.configFile, `${JSON.stringify(config)}\n`, { mode: 0o600 });
}
