import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LabNode } from "../harness/lab.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echoPod, type NetworkLab, NODE_NAMES } from "./network-lab.ts";

const run = promisify(execFile);
const NAMESPACE = "api-in-pods";
const KUBECTL = process.env["KUBECTL"] ?? "kubectl";
const SECRETS = "/var/run/secrets/kubernetes.io/serviceaccount";

const ACCOUNT = `
apiVersion: v1
kind: Namespace
metadata: {name: ${NAMESPACE}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: pods, namespace: ${NAMESPACE}}
rules:
- {apiGroups: [""], resources: [pods, pods/log, pods/exec, pods/portforward, configmaps], verbs: ["*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: pods, namespace: ${NAMESPACE}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pods}
subjects: [{kind: ServiceAccount, name: default, namespace: ${NAMESPACE}}]
---
`;

const TALKER = `
apiVersion: v1
kind: Pod
metadata: {name: talker, namespace: ${NAMESPACE}, labels: {app: pod}}
spec:
  nodeName: node-2
  terminationGracePeriodSeconds: 1
  containers: [{name: c, image: "alpine/socat:1.8.0.3", command: [sh, -c, "while :; do date; sleep 1; done"]}]
`;

/** `kubernetes.default.svc` as pods have it, on every node. */
export function describeApiInPods(lab: () => NetworkLab): void {
  describe("the API in pods", () => {
    const directory = mkdtempSync(join(tmpdir(), "hearth-api-"));
    const ca = join(directory, "ca.crt");
    const started: ChildProcess[] = [];
    let token = "";
    let podIp = "";
    let podNetns = "";

    beforeAll(async () => {
      await lab().kubectl.apply(ACCOUNT);
      await waitFor("the service account", () =>
        lab().kubectl.run("get", "serviceaccount", "default", "-n", NAMESPACE),
      );
      await lab().kubectl.apply(
        NODE_NAMES.slice(0, 2)
          .map((node) => echoPod(`pod-${node}`, { node, app: "pod", namespace: NAMESPACE }))
          .join(""),
      );
      await lab().kubectl.apply(TALKER);
      await lab().ready("app=pod", NAMESPACE);
      token = await lab().inPod("pod-node-1", `cat ${SECRETS}/token`, NAMESPACE);
      writeFileSync(ca, await lab().inPod("pod-node-1", `cat ${SECRETS}/ca.crt`, NAMESPACE));
      podIp = await lab().kubectl.run(
        ...["get", "pod", "pod-node-1", "-n", NAMESPACE, "-o", "jsonpath={.status.podIP}"],
      );
      podNetns = await netnsOf(lab().node(1), "pod-node-1");
    });

    afterAll(async () => {
      for (const child of started) child.kill();
      await lab()
        .node(1)
        .execute("nft", ["destroy", "table", "inet", "test-api"])
        .catch(() => {});
      await lab().kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
      rmSync(directory, { recursive: true, force: true });
    });

    /** kubectl as the pod's service account, which knows nothing but what is mounted into the pod. */
    const args = (...rest: string[]) => [
      KUBECTL,
      ...["--kubeconfig=/dev/null", "--server=https://10.96.0.1", "--tls-server-name=kubernetes.default.svc"],
      ...[`--certificate-authority=${ca}`, `--token=${token}`, "-n", NAMESPACE],
      ...rest,
    ];
    const netns = () => `--net=${podNetns}`;
    const inPod = async (...rest: string[]) => {
      const { stdout } = await run("nsenter", [netns(), "--", ...args(...rest)], { timeout: 60_000 });
      return stdout;
    };
    /** Starts it and gives its output as it comes. */
    function start(...rest: string[]): { child: ChildProcess; output(): string } {
      const child = spawn("nsenter", [netns(), "--", ...args(...rest)]);
      started.push(child);
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
        });
      }
      return { child, output: () => output };
    }

    it("SVC-07, CLU-08: 10.96.0.1:443 is the API on every node, for what runs on the node itself, too", async () => {
      for (const number of [1, 2, 3] as const) {
        const node = lab().node(number);
        const answer = await waitFor(`the API on ${node.name}`, () => {
          const [kubectl = "", ...rest] = args("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}");
          return node.execute(kubectl, rest);
        });
        expect(answer).toBe(`system:serviceaccount:${NAMESPACE}:default`);
      }
    });

    it("the API's EndpointSlice keeps the control plane's own address", async () => {
      const addresses = await lab().kubectl.run(
        ...["get", "endpointslice", "kubernetes", "-n", "default", "-o", "jsonpath={.endpoints[*].addresses[*]}"],
      );
      expect(addresses).not.toMatch(/^169\.254\./);
    });

    it("is asked by a pod as the pod's account, and by its name", async () => {
      expect(await inPod("get", "pods", "-o", "name")).toBe("pod/pod-node-1\npod/pod-node-2\npod/talker\n");
      await expect(inPod("get", "nodes")).rejects.toThrow(
        `User "system:serviceaccount:${NAMESPACE}:default" cannot list resource "nodes"`,
      );
      await expect(inPod("get", "pods", "--as=system:admin")).rejects.toThrow(/"system:admin" is forbidden/);
      const resolved = await lab().inPod("pod-node-1", "nslookup kubernetes.default.svc.cluster.local", NAMESPACE);
      expect(resolved).toContain("10.96.0.1");
    });

    it("streams watches and logs, takes commands, forwards ports", async () => {
      const watch = start("get", "configmaps", "--watch-only", "-o", "name");
      const logs = start("logs", "-f", "talker");
      await waitFor("a watch that sees", async () => {
        await inPod("create", "configmap", `seen-${Date.now()}`);
        return watch.output().includes("configmap/seen-");
      });
      expect(await inPod("exec", "pod-node-1", "--", "hostname")).toBe("pod-node-1\n");
      expect(await inPod("exec", "pod-node-2", "--", "hostname")).toBe("pod-node-2\n");
      await expect(inPod("exec", "pod-node-2", "--", "sh", "-c", "exit 3")).rejects.toMatchObject({ code: 3 });
      const forwarding = start("port-forward", "pod/pod-node-2", "18080:80");
      await waitFor("a forwarded port", () => {
        if (!forwarding.output().includes("Forwarding from 127.0.0.1:18080"))
          throw new Error(forwarding.output() || "nothing said");
        return true;
      });
      const { stdout } = await run("nsenter", [netns(), "--", "bash", "-c", "cat < /dev/tcp/127.0.0.1/18080"]);
      expect(stdout).toBe("pod-node-2\n");
      await waitFor("two lines of a log", () => logs.output().split("\n").length > 2);
    });

    it("carries large lists whole, and much at once", async () => {
      const data = "x".repeat(200_000);
      const file = join(directory, "large.json");
      writeFileSync(file, data);
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => inPod("create", "configmap", `large-${i}`, `--from-file=${file}`)),
      );
      const lists = await Promise.all([1, 2, 3, 4].map(() => getJson()));
      for (const items of lists) expect(items.filter((item) => item.data?.["large.json"] === data)).toHaveLength(10);
    });
    async function getJson(): Promise<{ data?: Record<string, string> }[]> {
      const { stdout } = await run("nsenter", [netns(), "--", ...args("get", "configmaps", "-o", "json")], {
        maxBuffer: 64 * 1024 * 1024,
      });
      return (JSON.parse(stdout) as { items: { data?: Record<string, string> }[] }).items;
    }

    it("is reached by a pod from which no way leads out of its node", async () => {
      const drop = `table inet test-api { chain forward { type filter hook forward priority -300; ip saddr ${podIp} drop; }; }`;
      await lab().node(1).execute("nft", [drop]);
      const direct = new URL(lab().lab.endpoint);
      await expect(
        run("nsenter", [
          netns(),
          "--",
          "bash",
          "-c",
          `timeout 1 bash -c '< /dev/tcp/${direct.hostname}/${direct.port}'`,
        ]),
      ).rejects.toThrow();
      expect(await inPod("get", "pods", "-o", "name")).toContain("pod/pod-node-1");
    });

    it("is served again as soon as the agent has restarted", async () => {
      await lab().node(3).stopAgent();
      await lab().node(3).startAgent();
      const [kubectl = "", ...rest] = args("get", "--raw", "/version");
      const answer = await waitFor("the API after a restart", () => lab().node(3).execute(kubectl, rest));
      expect(JSON.parse(answer)).toMatchObject({ major: "1" });
    });
  });
}

/** Where a pod has its network: that of a process of its. */
async function netnsOf(node: LabNode, pod: string): Promise<string> {
  const ctr = async (...rest: string[]) => {
    const { stdout } = await run("ctr", ["-a", node.runtimeSocket, "-n", "k8s.io", ...rest]);
    return stdout.trim().split("\n");
  };
  const containers = await ctr("containers", "list", "-q", `labels."io.kubernetes.pod.name"==${pod}`);
  const tasks = (await ctr("tasks", "list")).map((line) => line.split(/\s+/));
  const pid = tasks.find(([id = "", , state]) => containers.includes(id) && state === "RUNNING")?.[1];
  if (pid === undefined) throw new Error(`${pod} has no process on ${node.name}`);
  return `/proc/${pid}/ns/net`;
}
