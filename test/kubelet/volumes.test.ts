import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare("10.199.9.0/24");
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

it("a claimed local volume is waited for, written to and outlives its pod (VOL-06)", async () => {
  const disk = join(node.dir, "disk");
  mkdirSync(disk);
  writeFileSync(join(disk, "before"), "kept");
  const claim = await node.api.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: "c", namespace: "default" },
    spec: { volumeName: "pv1" },
    status: { phase: "Pending" },
  } as KubeObject);
  await node.api.create(PERSISTENT_VOLUMES, {
    metadata: { name: "pv1" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      local: { path: disk },
      claimRef: { namespace: "default", name: "c", uid: claim.metadata.uid },
    },
  } as KubeObject);
  await node.run("user", {
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }],
    containers: [
      {
        name: "main",
        image: "busybox:1.37",
        command: ["sh", "-c", "trap 'exit 0' TERM; cp /data/before /data/after; sleep 3600 & wait"],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ],
  });
  const waiting =
    "FailedMount Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/c: PVC is not bound";
  await waitFor("the event", () => node.events("user").includes(waiting));
  await node.api.patch(PERSISTENT_VOLUME_CLAIMS, { name: "c", namespace: "default" }, "merge", {
    status: { phase: "Bound" },
  });
  await node.ready("user");
  await waitFor("the copy", async () => (await node.exec("user", "cat /data/after")) === "kept");
  await node.delete("user", 1);
  await waitFor("the pod to go", () => node.pod("user") === undefined, { timeoutMs: 30_000 });
  expect(readFileSync(join(disk, "before"), "utf8")).toBe("kept");
  expect(readFileSync(join(disk, "after"), "utf8")).toBe("kept");
});

it("a mount that must be read-only all the way down is refused where the runtime cannot do it", async () => {
  if (await node.cri.hasRecursiveReadOnly("")) return;
  await node.run("deep", {
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [
      {
        name: "main",
        image: "busybox:1.37",
        volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true, recursiveReadOnly: "Enabled" }],
      },
    ],
  });
  await waitFor("the refusal", () =>
    node.pod("deep")?.status?.containerStatuses?.[0]?.state?.waiting?.message?.endsWith("not supported by the runtime"),
  );
  expect(node.pod("deep")?.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: 'volume "data" requested recursive read-only mode, but it is not supported by the runtime',
  });
});
