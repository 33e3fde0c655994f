import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Home } from "./home.ts";

/** The embedded Worker's ROOT_SECRET, made at the first call. Whoever reads the file owns the cluster: mode 0600. */
export function readRootSecret(home: Home): string {
  if (!existsSync(home.rootSecretFile)) makeRootSecret(home.rootSecretFile);
  const secret = readFileSync(home.rootSecretFile, "utf8").trim();
  if (secret.length < 64) throw new Error(`${home.rootSecretFile} is damaged; restore it from a backup, or purge`);
  return secret;
}

/** Whole or not at all: half a secret would look like a damaged one, and never be made again. */
function makeRootSecret(path: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, randomBytes(32).toString("hex"), { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
