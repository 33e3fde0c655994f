import { spawn } from "node:child_process";
import { findProgram, missingPackages, usefulPackages } from "../agent/runtime/index.ts";
import { progress, UserError } from "./errors.ts";

/** Whether we may install here: root on a Debian or a relative of it. */
export const mayInstall = (): boolean => process.getuid?.() === 0 && findProgram("apt-get") !== undefined;

/**
 * Installs what is missing to run pods, and `more`; with it what else is of use. Nothing that is there is upgraded.
 * @returns the packages that were installed
 * @throws UserError if something is missing and cannot be installed
 */
export async function installMissingPackages(more: string[] = []): Promise<string[]> {
  const missing = [...missingPackages(), ...more];
  if (missing.length === 0) return [];
  if (!mayInstall()) {
    throw new UserError(
      `missing on this machine: ${missing.join(", ")}`,
      "install them, or run this as root on Debian or Ubuntu",
    );
  }
  const packages = [...missing, ...usefulPackages()];
  progress(`installing ${packages.join(", ")} (apt-get)`);
  await aptGet(["update", "-qq"]);
  await aptGet(["install", "-y", "-qq", "--no-install-recommends", "--no-upgrade", ...packages]);
  return packages;
}

function aptGet(args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("apt-get", args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else
        reject(
          new UserError(
            `apt-get ${args[0]} failed:\n${errors.trim()}`,
            "is the network up? install by hand, then repeat",
          ),
        );
    });
  });
}
