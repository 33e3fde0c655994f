import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Kubectl } from "../../test/harness/kubectl.ts";
import type { OwnCluster } from "../../test/harness/own-cluster.ts";
import { writeTestImages } from "../../test/images/index.ts";

const ROUNDS = 5;

const manifest = (name: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: main, image: "nginx:1.29"}
`;

/** From the start of `kubectl apply` until the pod is Ready, its image on the node, one pod at a time. In milliseconds. */
export async function timePodStarts(cluster: OwnCluster): Promise<number[]> {
  const images = mkdtempSync(join(tmpdir(), "hearth-images-"));
  try {
    await cluster.up();
    await cluster.hearth("agent", "image", "import", ...writeTestImages(images).values());
    const kubectl = new Kubectl(cluster.kubeconfigFile);
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const name = `start-${round}`;
      const startMs = performance.now();
      await kubectl.apply(manifest(name));
      await kubectl.run("wait", "--for=condition=Ready", `pod/${name}`, "--timeout=120s");
      samples.push(performance.now() - startMs);
      await kubectl.run("delete", "pod", name, "--now");
    }
    return samples;
  } finally {
    rmSync(images, { recursive: true, force: true });
  }
}
