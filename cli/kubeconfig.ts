import { readFileSync } from "node:fs";
import { UserError } from "./errors.ts";
import { findHome } from "./home.ts";

export async function kubeconfig(): Promise<void> {
  const { kubeconfigFile, dir } = findHome();
  try {
    process.stdout.write(readFileSync(kubeconfigFile, "utf8"));
  } catch {
    throw new UserError(`there is no control plane in ${dir} yet`, "start one: ./hearth up");
  }
}
