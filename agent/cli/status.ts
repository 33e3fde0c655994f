import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { findDetached } from "../runtime/index.ts";
import { readMembership, statePaths } from "./node-config.ts";

const connectionSchema = z.object({ isConnected: z.boolean(), lastFailure: z.string(), sinceMs: z.number() });

/** `agent status`: whose node this is, and whether the agent is connected. Exit code 1 if it is not. */
export function status({ stateDir }: { stateDir: string }): void {
  const directory = resolve(stateDir);
  const { config } = readMembership(directory);
  console.log(`node      ${config.nodeName}`);
  console.log(`cluster   ${config.cluster} at ${config.endpoint}`);
  const paths = statePaths(directory);
  const running = findDetached(paths.lock);
  console.log(`agent     ${running ? `runs (pid ${running.pid})` : "does not run"}`);
  const connection = readConnection(paths.connection);
  if (!running) {
    process.exitCode = 1;
    return;
  }
  if (!connection) {
    console.log("tunnel    was never connected");
  } else if (connection.isConnected) {
    console.log(`tunnel    connected since ${new Date(connection.sinceMs).toISOString()}`);
  } else {
    console.log(
      `tunnel    not connected since ${new Date(connection.sinceMs).toISOString()}: ${connection.lastFailure}`,
    );
  }
  if (!connection?.isConnected) process.exitCode = 1;
}

function readConnection(file: string): z.infer<typeof connectionSchema> | undefined {
  try {
    return connectionSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Not written yet, or in the middle of it.
    return undefined;
  }
}
