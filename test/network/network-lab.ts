import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kubectl } from "../harness/kubectl.ts";
import { Lab, type LabNode } from "../harness/lab.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { socatImage, testImages, writeTestImages } from "../images/index.ts";

/** Two that run pods, and one more to come from: three nodes in network namespaces, all Ready, with the test images. */
export const NODE_NAMES = ["node-1", "node-2", "node-3"] as const;

/** The cluster's, of both families. */
export const POD_RANGES = ["10.244.0.0/16", "fd00:10:244::/48"] as const;
export const SERVICE_RANGES = ["10.96.0.0/16", "fd00:10:96::/112"] as const;

/** A cluster of both families with three nodes that all suites of this folder share. */
export class NetworkLab {
  readonly cluster: OwnCluster;
  readonly lab: Lab;
  readonly kubectl: Kubectl;
  readonly #images: string;
  /** The test images' archives, for another machine's runtime. */
  readonly imageFiles: readonly string[];

  private constructor(parts: {
    cluster: OwnCluster;
    lab: Lab;
    kubectl: Kubectl;
    images: string;
    imageFiles: string[];
  }) {
    this.cluster = parts.cluster;
    this.lab = parts.lab;
    this.kubectl = parts.kubectl;
    this.#images = parts.images;
    this.imageFiles = parts.imageFiles;
  }

  /** @param options a network other than that of all suites, and fewer nodes */
  static async build({
    podRanges = POD_RANGES,
    serviceRanges = SERVICE_RANGES,
    names = NODE_NAMES,
  }: {
    podRanges?: readonly string[];
    serviceRanges?: readonly string[];
    names?: readonly string[];
  } = {}): Promise<NetworkLab> {
    const images = mkdtempSync(join(tmpdir(), "hearth-images-"));
    const files = [...writeTestImages(images, [...testImages(), socatImage()]).values()];
    const cluster = await OwnCluster.prepare();
    await cluster.up(
      "--no-node",
      "--cluster-cidr",
      podRanges.join(),
      "--service-cluster-ip-range",
      serviceRanges.join(),
    );
    const kubectl = new Kubectl(cluster.kubeconfigFile);
    const lab = await Lab.build(cluster);
    const built = new NetworkLab({ cluster, lab, kubectl, images, imageFiles: files });
    for (const name of names) await lab.join(await lab.addMachine(name, files));
    for (const name of names) await kubectl.run("wait", "--for=create", `node/${name}`, "--timeout=60s");
    await kubectl.run("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
    return built;
  }

  async remove(): Promise<void> {
    await this.lab.remove();
    await this.cluster.remove();
    rmSync(this.#images, { recursive: true, force: true });
  }

  /** @param number from 1 */
  node(number: 1 | 2 | 3): LabNode {
    return this.lab.nodes[number - 1]!;
  }

  /** The three that all suites share; the lab may have more for a while, which come and go with one suite. */
  get nodes(): LabNode[] {
    return this.lab.nodes.slice(0, NODE_NAMES.length);
  }

  /** What a command in a pod's first container prints. @throws Error with both outputs when it fails */
  inPod(pod: string, command: string, namespace = "default"): Promise<string> {
    return this.kubectl.run("exec", "-n", namespace, pod, "--", "sh", "-c", command);
  }

  /** Settles when every pod of a selector is Ready, and there is one at least. */
  async ready(selector: string, namespace = "default"): Promise<void> {
    await waitFor(`pods ${selector}`, async () => {
      const names = await this.kubectl.run("get", "pods", "-n", namespace, "-l", selector, "-o", "name");
      return names.trim() !== "";
    });
    await this.kubectl.run("wait", "-n", namespace, "--for=condition=Ready", "pod", "-l", selector, "--timeout=120s");
  }
}

/**
 * A pod that answers each TCP connection and each datagram on port 80 with its name, and stays to run commands in.
 * @param options the node that it is bound to (any), its label `app` (its name)
 */
export function echoPod(
  name: string,
  { node, app = name, namespace = "default" }: { node?: string; app?: string; namespace?: string } = {},
): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${app}}}
spec:
  terminationGracePeriodSeconds: 1
  ${node === undefined ? "" : `nodeName: ${node}`}
  containers:
  - name: echo
    image: alpine/socat:1.8.0.3
    command: [sh, -c, "socat UDP-RECVFROM:80,fork SYSTEM:hostname & until grep -q :0050 /proc/net/udp; do sleep 0.05; done; exec socat TCP-LISTEN:80,fork,reuseaddr SYSTEM:hostname"]
    ports: [{name: tcp, containerPort: 80, protocol: TCP}, {name: udp, containerPort: 80, protocol: UDP}]
    readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}
---
`;
}
