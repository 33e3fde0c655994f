import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Kubectl } from "../harness/kubectl.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";

let cluster: OwnCluster;
let kubectl: Kubectl;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "hearth-helm-"));
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  kubectl = new Kubectl(cluster.kubeconfigFile);
  await helm("create", "api");
});

afterAll(async () => {
  await cluster?.remove();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

/** The real Helm, its own files kept in the test's directory. */
async function helm(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.env["HELM"] ?? "helm", args, {
    cwd: directory,
    env: { ...process.env, KUBECONFIG: cluster.kubeconfigFile, HOME: directory },
  });
  return stdout;
}

const replicas = () => kubectl.run("get", "deployment", "demo-api", "-o", "jsonpath={.spec.replicas}");

it("installs, upgrades, rolls back and removes a chart (Helm 4 applies server-side)", async () => {
  expect(await helm("install", "demo", "./api")).toMatch(/STATUS: deployed\nREVISION: 1/);
  expect(await replicas()).toBe("1");
  expect(await kubectl.run("get", "service", "demo-api", "-o", "jsonpath={.spec.clusterIP}")).toMatch(
    /^10\.96\.\d+\.\d+$/,
  );
  expect(await helm("upgrade", "demo", "./api", "--set", "replicaCount=3")).toMatch(/REVISION: 2/);
  expect(await replicas()).toBe("3");
  await helm("rollback", "demo", "1");
  expect(await replicas()).toBe("1");
  expect(await helm("history", "demo")).toMatch(/^3\s.*\sdeployed\s.*Rollback to 1/m);
  await helm("uninstall", "demo");
  await waitFor("nothing left", async () => {
    const left = await kubectl.run(
      "get",
      "all,secrets,serviceaccounts",
      "-l",
      "app.kubernetes.io/instance=demo",
      "-o",
      "name",
    );
    return left === "";
  });
});
