import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, SECRETS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
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
  const { runtimeHandlers } = await node.cri.status();
  if (runtimeHandlers.some(({ features }) => features?.recursiveReadOnlyMounts)) return;
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
    message:
      'failed to resolve recursive read-only mode: volume "data" requested recursive read-only mode, but it is not supported by the runtime',
  });
});

it("volumes lie in the pod's directory, secrets in memory, follow their sources, and go with the pod (VOL-01, VOL-02, VOL-03, VOL-05, VOL-06)", async () => {
  await node.api.create(CONFIG_MAPS, { metadata: { name: "cm", namespace: "default" }, data: { color: "blue" } });
  await node.api.create(SECRETS, { metadata: { name: "s", namespace: "default" }, data: { key: "b3Blbg==" } });
  await node.run("full", {
    volumes: [
      { name: "config", configMap: { name: "cm" } },
      { name: "creds", secret: { secretName: "s" } },
      { name: "data", emptyDir: {} },
    ],
    containers: [
      {
        name: "main",
        image: "busybox:1.37",
        command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"],
        volumeMounts: [
          { name: "config", mountPath: "/config" },
          { name: "creds", mountPath: "/creds" },
          { name: "data", mountPath: "/data" },
          { name: "data", mountPath: "/fixed", readOnly: true },
        ],
      },
    ],
  });
  await node.ready("full");
  const volumes = join(node.dir, "agent/pods", node.pod("full")!.metadata.uid, "volumes");
  expect(readFileSync(join(volumes, "kubernetes.io~configmap/config/color"), "utf8")).toBe("blue");
  expect(readFileSync("/proc/self/mounts", "utf8")).toContain(`tmpfs ${volumes}/kubernetes.io~secret/creds tmpfs`);
  await node.exec("full", "echo mine > /data/file");
  expect(readFileSync(join(volumes, "kubernetes.io~empty-dir/data/file"), "utf8")).toBe("mine\n");
  await expect(node.exec("full", "echo no > /fixed/file")).rejects.toThrow("Read-only file system");
  await node.api.patch(CONFIG_MAPS, { name: "cm", namespace: "default" }, "merge", { data: { color: "red" } });
  await waitFor("the new content", async () => (await node.exec("full", "cat /config/color")) === "red");
  expect(node.pod("full")!.status!.containerStatuses![0]!.restartCount).toBe(0);
  await node.delete("full", 1);
  await waitFor("the pod to go", () => node.pod("full") === undefined, { timeoutMs: 30_000 });
  expect(existsSync(volumes)).toBe(false);
});
