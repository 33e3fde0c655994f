import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PersistentVolume } from "../../shared/api/types.ts";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Volume } from "../api/index.ts";
import { ClaimError } from "./claim-error.ts";
import { applyFsGroup } from "./fs-group.ts";
import { mountsUnder, unmount } from "./mount-table.ts";
import { planNfs, planPersistentVolume, rememberVolume } from "./persistent-volume.ts";
import { createPodVolumes } from "./pod-volumes.ts";
import type { VolumeSources } from "./sources.ts";

const pv = (spec: object): PersistentVolume =>
  ({ metadata: { name: "pv1" }, spec: { accessModes: ["ReadWriteOnce"], ...spec } }) as PersistentVolume;
const claimed = (fields: object = {}): Volume => ({
  name: "data",
  persistentVolumeClaim: { claimName: "c", ...fields },
});

it("asks once what a claim is bound to, and again when what was written down is damaged", async () => {
  const directory = mkdtempSync(join(tmpdir(), "remember-"));
  try {
    let asked = 0;
    const ask = async () => pv({ local: { path: `/${++asked}` } });
    for (let i = 0; i < 2; i++)
      expect(await rememberVolume(directory, "data", ask)).toEqual(pv({ local: { path: "/1" } }));
    writeFileSync(join(directory, "data.pv.json"), "\0\0\0");
    for (let i = 0; i < 2; i++)
      expect(await rememberVolume(directory, "data", ask)).toEqual(pv({ local: { path: "/2" } }));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe("planPersistentVolume", () => {
  it.each([
    {
      name: "a path of the node",
      spec: { hostPath: { path: "/d", type: "Directory" } },
      want: { attachment: { kind: "host-path", path: "/d", type: "Directory" }, readOnly: false, takesGroup: false },
    },
    {
      name: "a local volume, which is given to the pod's group",
      spec: { local: { path: "/mnt/a" } },
      want: { attachment: { kind: "local-volume", path: "/mnt/a" }, readOnly: false, takesGroup: true },
    },
    {
      name: "one that may only be read",
      spec: { local: { path: "/mnt/a" }, accessModes: ["ReadOnlyMany"] },
      want: { attachment: { kind: "local-volume", path: "/mnt/a" }, readOnly: true, takesGroup: false },
    },
    {
      name: "a claim that is only read",
      volume: claimed({ readOnly: true }),
      spec: { local: { path: "/mnt/a" } },
      want: { attachment: { kind: "local-volume", path: "/mnt/a" }, readOnly: true, takesGroup: false },
    },
    {
      name: "NFS with its options",
      spec: { nfs: { server: "s", path: "/e" }, mountOptions: ["nfsvers=4.2", "hard"], accessModes: ["ReadWriteMany"] },
      want: {
        attachment: { kind: "nfs", server: "s", path: "/e", options: ["nfsvers=4.2", "hard"] },
        readOnly: false,
        takesGroup: false,
      },
    },
    {
      name: "NFS that is only read",
      spec: { nfs: { server: "s", path: "/e", readOnly: true } },
      want: {
        attachment: { kind: "nfs", server: "s", path: "/e", options: ["ro"] },
        readOnly: true,
        takesGroup: false,
      },
    },
  ])("mounts $name", ({ spec, volume = claimed(), want }) =>
    expect(planPersistentVolume(pv(spec), volume)).toEqual(want),
  );

  it("mounts NFS that a pod names itself", () => {
    expect(planNfs({ server: "s", path: "/" }, { readOnly: false, mountOptions: [] }).attachment).toEqual({
      kind: "nfs",
      server: "s",
      path: "/",
      options: [],
    });
  });

  it.each([
    { spec: { csi: { driver: "d" }, storageClassName: "x" }, message: "volumes of type csi are not supported" },
    { spec: { local: { path: "/dev/sdb" }, volumeMode: "Block" }, message: "block volumes are not supported" },
  ])("refuses: $message", ({ spec, message }) => {
    expect(() => planPersistentVolume(pv(spec), claimed())).toThrow(message);
  });
});

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pv-")));
  mkdirSync(join(root, "disk/sub"), { recursive: true });
  writeFileSync(join(root, "disk/sub/file"), "kept");
});
afterEach(async () => {
  for (const path of await mountsUnder(root)) await unmount(path);
  rmSync(root, { recursive: true });
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)("a claimed local volume (mounts: as root)", () => {
  let asked = 0;
  const setUp = (found: () => PersistentVolume) =>
    createPodVolumes({
      stateDir: root,
      sources: {
        async persistentVolume() {
          asked += 1;
          return found();
        },
      } as unknown as VolumeSources,
      allocatable: () => ({ cpu: "1", memory: "1Gi" }),
      onSlow() {},
    });
  const none = { hostIps: [], podIps: [] };
  const pod = aPod({
    volumes: [claimed()],
    securityContext: { fsGroup: 1234 },
    containers: [aContainer("main", { volumeMounts: [{ name: "data", mountPath: "/data" }] })],
  });
  beforeEach(() => {
    asked = 0;
  });

  it("is mounted once for the pod, and its files outlive it", async () => {
    const volumes = setUp(() => pv({ local: { path: join(root, "disk") } }));
    for (let i = 0; i < 2; i++) {
      const { ready } = await (await volumes.find(pod, none)).setUp();
      expect(ready.get("data")).toEqual({
        hostPath: join(root, "pods/u1/volumes/kubernetes.io~local-volume/pv1"),
        readOnly: false,
      });
    }
    expect([asked, (await mountsUnder(root)).length]).toEqual([1, 1]);
    expect(statSync(join(root, "disk/sub/file")).gid).toBe(1234);
    await volumes.tearDown("u1");
    expect(existsSync(join(root, "pods/u1"))).toBe(false);
    expect(readFileSync(join(root, "disk/sub/file"), "utf8")).toBe("kept");
  });

  it("is waited for while its claim is not bound, in upstream's words", async () => {
    const volumes = setUp(() => {
      throw new ClaimError("error processing PVC default/c: PVC is not bound");
    });
    const { ready, error } = await (await volumes.find(pod, none)).setUp();
    expect([ready.size, error?.waitsForClaim]).toEqual([0, true]);
    expect(error?.message).toBe(
      "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/c: PVC is not bound",
    );
  });

  it("has to be there", async () => {
    const volumes = setUp(() => pv({ local: { path: join(root, "none") } }));
    expect((await (await volumes.find(pod, none)).setUp()).error?.message).toBe(
      `MountVolume.SetUp failed for volume "data" : path "${join(root, "none")}" does not exist`,
    );
  });
});

describe.skipIf(!isRoot)("fsGroup (as root)", () => {
  it("goes to all that is there", async () => {
    await applyFsGroup(join(root, "disk"), 77, { readOnly: false });
    const of = (path: string) => statSync(join(root, path));
    expect([of("disk").gid, of("disk/sub/file").gid]).toEqual([77, 77]);
    expect(of("disk").mode & 0o2770).toBe(0o2770);
    expect(of("disk/sub/file").mode & 0o660).toBe(0o660);
  });

  it.each([
    { name: "lets all be where the root is as it should be", gid: 77, mode: 0o2775, want: 0 },
    { name: "goes through all where the root has another group", gid: 78, mode: 0o2775, want: 77 },
    { name: "goes through all where the root lacks a right", gid: 77, mode: 0o755, want: 77 },
  ])("with OnRootMismatch $name", async ({ gid, mode, want }) => {
    chownSync(join(root, "disk"), 0, gid);
    chmodSync(join(root, "disk"), mode);
    await applyFsGroup(join(root, "disk"), 77, { readOnly: false, onlyIfRootDiffers: true });
    expect(statSync(join(root, "disk/sub/file")).gid).toBe(want);
  });
});
