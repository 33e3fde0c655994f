import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Home } from "./home.ts";

/** The embedded Worker's ROOT_SECRET, made at the first call. Whoever reads the file owns the cluster: mode 0600. */
export function readRootSecret(home: Home): string {
  try {
    writeFileSync(home.rootSecretFile, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const secret = readFileSync(home.rootSecretFile, "utf8").trim();
  if (secret.length < 64) throw new Error(`${home.rootSecretFile} is damaged; restore it from a backup, or purge`);
  return secret;
}
