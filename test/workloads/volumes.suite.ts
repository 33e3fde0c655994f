import { afterAll, beforeAll, expect, it } from "vitest";
import type { Node, VolumeAttachment } from "../../shared/api/types.ts";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { PLAYED, type PlayedNodes } from "../harness/played-nodes.ts";
import { waitFor } from "../harness/wait-for.ts";
import { all, manifest } from "./manifests.ts";

const NODES = ["disks-1", "disks-2"] as const;
const TAINT = { key: "only-for", value: "disks", effect: "NoSchedule" };
const DRIVER = "disks.example.com";
const UNIQUE_NAME = `kubernetes.io/csi/${DRIVER}^handle-1`;

const claim = { accessModes: ["ReadWriteOnce"], storageClassName: "disks" };
const DISK = all(
  manifest("v1", "PersistentVolume", "disk", {
    ...claim,
    capacity: { storage: "1Gi" },
    csi: { driver: DRIVER, volumeHandle: "handle-1" },
  }),
  manifest("v1", "PersistentVolumeClaim", "data", { ...claim, resources: { requests: { storage: "1Gi" } } }),
);
const DEPLOYMENT = manifest("apps/v1", "Deployment", "database", {
  replicas: 1,
  selector: { matchLabels: { app: "database" } },
  template: {
    metadata: { labels: { app: "database" }, annotations: { [PLAYED]: "stays" } },
    spec: {
      nodeSelector: { group: "disks" },
      tolerations: [{ key: TAINT.key, operator: "Exists" }],
      containers: [{ name: "main", image: "app:1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  },
});

/** Volumes that are attached to nodes; the test plays the driver, and what kubelets say of volumes. */
export function describeVolumes(cluster: () => OwnCluster, nodes: () => PlayedNodes): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "volumes");
    kubectl = work.kubectl;
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
    for (const name of NODES) await nodes().add(name, { labels: { group: "disks" }, taints: [TAINT], annotations });
  });
  afterAll(() => work?.remove());

  const patchStatus = (what: string, status: object) =>
    kubectl.run("patch", what, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status }));
  const attachmentTo = (nodeName: string) =>
    waitFor(`an attachment to ${nodeName}`, async () => {
      const { items } = await kubectl.json<{ items: VolumeAttachment[] }>("get", "volumeattachments");
      return items.find(({ spec }) => spec.attacher === DRIVER && spec.nodeName === nodeName)?.metadata.name;
    });
  const attached = (nodeName: string) =>
    waitFor(`${nodeName} to have it`, async () => {
      const { status } = await kubectl.json<Node>("get", "node", nodeName);
      return status?.volumesAttached?.some(({ name }) => name === UNIQUE_NAME);
    });
  const podOn = (nodeName: string) =>
    waitFor(`a pod on ${nodeName}`, async () => {
      const on = `--field-selector=spec.nodeName=${nodeName}`;
      return (await kubectl.run("get", "pods", "-l", "app=database", on, "-o", "name")).trim();
    });
  const toldTo = (pod: string, pattern: RegExp) =>
    waitFor(`${pattern} to be told`, async () => pattern.test(await kubectl.run("events", "--for", pod)));

  it("a disk goes with its pod from node to node, one at a time (STS-07, CTL-06)", async () => {
    const [first, second] = NODES;
    await kubectl.run("cordon", second);
    await kubectl.apply(all(DISK, DEPLOYMENT));
    const before = await podOn(first);
    const attachment = await attachmentTo(first);
    expect(await kubectl.run("get", "volumeattachments", attachment)).toMatch(
      new RegExp(
        `^NAME +ATTACHER +PV +NODE +ATTACHED +AGE\\n${attachment} +${DRIVER} +disk +${first} +false +\\S+\\n$`,
      ),
    );
    await patchStatus(`volumeattachment/${attachment}`, { attached: true });
    await attached(first);
    await toldTo(
      before,
      /Normal +SuccessfulAttachVolume +Pod\/\S+ +AttachVolume\.Attach succeeded for volume "disk" *\n/,
    );

    // The pod's node has the volume mounted still, when another node gets the pod's successor.
    await patchStatus(`node/${first}`, { volumesInUse: [UNIQUE_NAME] });
    await kubectl.run("uncordon", second);
    await kubectl.run("cordon", first);
    await kubectl.run("delete", before, "--wait=false");
    const after = await podOn(second);
    const refusal = `Multi-Attach error for volume "disk" Volume is already used by pod\\(s\\) ${before.slice("pod/".length)}`;
    await toldTo(after, new RegExp(`Warning +FailedAttachVolume +Pod/\\S+ +${refusal}\\n`));
    await kubectl.run("delete", before, "--grace-period=0", "--force");
    await patchStatus(`node/${first}`, { volumesInUse: [] });
    await kubectl.run("wait", `volumeattachment/${attachment}`, "--for=delete", "--timeout=60s");
    await patchStatus(`volumeattachment/${await attachmentTo(second)}`, { attached: true });
    await attached(second);
    expect((await kubectl.json<Node>("get", "node", first)).status).not.toHaveProperty("volumesAttached");
  });
}
