import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Container, Pod } from "../../agent/api/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, SECRETS } from "../../shared/api/refs.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";
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

describe("files from the API", () => {
  const VERSION = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\S+$/;

  it("lie behind a link that is swapped, with modes, items, optional sources and what is mounted within", async () => {
    await create(CONFIG_MAPS, "settings", { data: { color: "blue", size: "10" }, binaryData: { raw: "AAE=" } });
    await create(SECRETS, "creds", { data: { password: "czNjcmV0" } });
    await run("files", {
      securityContext: { fsGroup: 3001, runAsUser: 1001 },
      volumes: [
        {
          name: "some",
          configMap: {
            name: "settings",
            defaultMode: 0o400,
            items: [
              { key: "color", path: "deep/er/color" },
              { key: "raw", path: "raw", mode: 0o750 },
            ],
          },
        },
        { name: "absent", secret: { secretName: "absent", optional: true } },
        { name: "cache", emptyDir: {} },
        {
          name: "all",
          projected: {
            defaultMode: 0o440,
            sources: [
              { configMap: { name: "settings", items: [{ key: "size", path: "size" }] } },
              { secret: { name: "creds" } },
              { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
              {
                downwardAPI: {
                  items: [{ path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu" } }],
                },
              },
              { configMap: { name: "absent", optional: true } },
            ],
          },
        },
      ],
      mounts: [
        { name: "some", mountPath: "/some" },
        { name: "absent", mountPath: "/absent" },
        { name: "cache", mountPath: "/some/deep-cache/here" },
        { name: "all", mountPath: "/all" },
        { name: "some", mountPath: "/one", subPath: "deep/er/color" },
      ],
    });
    const names = (await node.exec("files", "ls -a /some")).trim().split("\n");
    expect(names.filter((name) => VERSION.test(name))).toHaveLength(1);
    expect(names.filter((name) => !VERSION.test(name))).toEqual([".", "..", "..data", "deep", "deep-cache", "raw"]);
    expect(await node.exec("files", "readlink /some/deep; readlink /some/raw; cat /some/deep/er/color /one")).toBe(
      "..data/deep\n..data/raw\nblueblue",
    );
    // The group may read what its owner may.
    expect(await node.exec("files", "stat -L -c '%a %u %g' /some/deep/er/color /some/raw /all/size /all/token")).toBe(
      "440 0 3001\n750 0 3001\n440 0 3001\n640 1001 3001\n",
    );
    expect(
      await node.exec("files", "cat /all/size /all/password /all/cpu; ls /absent; touch /some/deep-cache/here/file"),
    ).toBe("10s3cret2");
    await expect(node.exec("files", "touch /some/deep/file")).rejects.toThrow("Read-only file system");
  });

  it("change all at once, but for those mounted by a subPath; a source that appears is taken up", async () => {
    const before = await node.exec("files", "readlink /some/..data");
    await patch(CONFIG_MAPS, "settings", { data: { color: "red" } });
    await waitFor("the new content", async () => (await node.exec("files", "cat /some/deep/er/color")) === "red");
    expect(await node.exec("files", "readlink /some/..data")).not.toBe(before);
    expect(await node.exec("files", "cat /one; ls /some/deep-cache/here")).toBe("bluefile\n");
    expect(await node.exec("files", "stat -L -c '%a %g' /some/deep/er/color")).toBe("440 3001\n");
    await create(SECRETS, "absent", { data: { now: "aGVyZQ==" } });
    await waitFor("the new source", async () => (await node.exec("files", "cat /absent/now")) === "here");
  });

  it("stay when their source goes: the pod is told of it, and still restarts", async () => {
    await node.api.delete(CONFIG_MAPS, { name: "settings", namespace: "default" });
    const event = 'FailedMount MountVolume.SetUp failed for volume "some" : configmap "settings" not found';
    await waitFor("the event", () => node.events("files").includes(event));
    await node.killContainer("files");
    await waitFor("the restart", () => node.pod("files")!.status!.containerStatuses![0]!.restartCount === 1);
    await node.ready("files");
    expect(await node.exec("files", "cat /some/deep/er/color")).toBe("red");
    await node.delete("files", 0);
  });

  it("are renewed when a token has lived four fifths of its time (SEC-23)", async () => {
    node.api.tokenSeconds = 10;
    await run("renewed", {
      volumes: [
        { name: "api", projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 600 } }] } },
      ],
      mounts: [{ name: "api", mountPath: "/api" }],
    });
    const token = () => node.exec("renewed", "cat /api/token");
    const first = await token();
    const startMs = Date.now();
    await waitFor("another token", async () => {
      // Looked at whenever something of the pod changes, and else once in a while.
      await patch(PODS, "renewed", { metadata: { annotations: { at: String(Date.now()) } } });
      return (await token()) !== first;
    });
    expect(Date.now() - startMs).toBeGreaterThan(5_000);
    node.api.tokenSeconds = 3_600;
    await node.delete("renewed", 0);
  });
});

describe("emptyDir", () => {
  it("is the group's, as large as it may be, and outlives its containers", async () => {
    await run("scratch", {
      securityContext: { fsGroup: 3001 },
      volumes: [
        { name: "disk", emptyDir: {} },
        { name: "memory", emptyDir: { medium: "Memory" } },
        { name: "small", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      ],
      mounts: ["disk", "memory", "small"].map((name) => ({ name, mountPath: `/${name}` })),
    });
    expect(await node.exec("scratch", "stat -c '%a %g' /disk /memory /small")).toBe("2777 3001\n".repeat(3));
    // The container's limit is 64 MiB.
    expect(await node.exec("scratch", "mount | grep -oE ' /(memory|small) .*size=[0-9]+k'")).toMatch(
      /\/memory .*size=65536k\n.*\/small .*size=1024k/,
    );
    await expect(node.exec("scratch", "dd if=/dev/zero of=/small/file bs=64k count=32 2>&1")).rejects.toThrow("exit 1");
    await node.exec("scratch", "echo kept > /disk/file; rm /small/file; chmod 700 /disk");
    await node.killContainer("scratch");
    await waitFor("the restart", () => node.pod("scratch")!.status!.containerStatuses![0]!.restartCount === 1);
    await node.ready("scratch");
    expect(await node.exec("scratch", "cat /disk/file; stat -c %a /disk")).toBe("kept\n700\n");
    await node.delete("scratch", 0);
  });

  it.each([
    {
      medium: "HugePages",
      message: "medium HugePages: hugePages storage requested, but there is no resource request for huge pages",
    },
    { medium: "Tape", message: 'unknown storage medium "Tape"' },
  ])("in $medium is refused", async ({ medium, message }) => {
    const name = `in-${medium.toLowerCase()}`;
    await run(
      name,
      { volumes: [{ name: "v", emptyDir: { medium } }], mounts: [{ name: "v", mountPath: "/v" }] },
      false,
    );
    const event = `FailedMount MountVolume.SetUp failed for volume "v" : ${message}`;
    await waitFor("the event", () => node.events(name).includes(event));
    await node.delete(name, 0);
  });
});

describe("hostPath", () => {
  it("is looked at once, is made where it may be, and shows mounts as it is asked to", async () => {
    const host = join(node.dir, "host");
    mkdirSync(host);
    mountShared(host);
    try {
      await node.run("host", {
        volumes: [
          { name: "dir", hostPath: { path: host, type: "Directory" } },
          { name: "made", hostPath: { path: join(host, "made/here"), type: "DirectoryOrCreate" } },
          { name: "file", hostPath: { path: join(host, "file"), type: "FileOrCreate" } },
          { name: "socket", hostPath: { path: node.paths.socket, type: "Socket" } },
        ],
        containers: [
          {
            ...SLEEPER,
            name: "a",
            volumeMounts: [
              { name: "dir", mountPath: "/private" },
              { name: "dir", mountPath: "/slave", mountPropagation: "HostToContainer" },
              { name: "made", mountPath: "/made" },
              { name: "file", mountPath: "/file" },
              { name: "socket", mountPath: "/socket" },
            ],
          },
          {
            ...SLEEPER,
            name: "b",
            securityContext: { privileged: true },
            volumeMounts: [{ name: "dir", mountPath: "/shared", mountPropagation: "Bidirectional" }],
          },
        ],
      } as Partial<Pod["spec"]>);
      await node.ready("host");
      expect(await node.exec("host", "test -d /made && test -f /file && test -S /socket && echo all", "a")).toBe(
        "all\n",
      );
      await node.exec("host", "mkdir /shared/sub && mount -t tmpfs none /shared/sub && echo x > /shared/sub/seen", "b");
      expect(readFileSync(join(host, "sub/seen"), "utf8")).toBe("x\n");
      expect(await node.exec("host", "cat /slave/sub/seen; ls /private/sub", "a")).toBe("x\n");
      // What becomes of the path later is no reason to let go of the pod.
      rmSync(join(host, "file"));
      await node.killContainer("host");
      await waitFor("the restart", () => node.pod("host")!.status!.containerStatuses![0]!.restartCount === 1);
      expect(node.events("host").filter((event) => event.startsWith("FailedMount"))).toEqual([]);
    } finally {
      await node.delete("host", 0);
      await waitFor("the pod to go", () => node.pod("host") === undefined);
      unmountAll(host);
    }
  });

  it.each([
    {
      type: "Directory",
      path: "/etc/hostname",
      message: "hostPath type check failed: /etc/hostname is not a directory",
    },
    { type: "File", path: "/etc", message: "hostPath type check failed: /etc is not a file" },
    { type: "BlockDevice", path: "/dev/null", message: "hostPath type check failed: /dev/null is not a block device" },
    { type: "", path: "/etc/../root", message: "invalid HostPath `/etc/../root`: must not contain '..'" },
  ])("that is no $type is refused", async ({ type, path, message }) => {
    const name = `no-${type.toLowerCase() || "steps"}`;
    await run(
      name,
      { volumes: [{ name: "v", hostPath: { path, type } }], mounts: [{ name: "v", mountPath: "/v" }] },
      false,
    );
    const event = `FailedMount MountVolume.SetUp failed for volume "v" : ${message}`;
    await waitFor("the event", () => node.events(name).includes(event));
    await node.delete(name, 0);
  });
});

describe("subPath", () => {
  it("is made with the volume's mode, from variables too", async () => {
    await run("sub", {
      securityContext: { fsGroup: 3001 },
      volumes: [{ name: "v", emptyDir: {} }],
      env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      mounts: [
        { name: "v", mountPath: "/all" },
        { name: "v", mountPath: "/logs", subPathExpr: "logs/$(POD)" },
      ],
    });
    await node.exec("sub", "echo x > /logs/file");
    expect(await node.exec("sub", "cat /all/logs/sub/file; stat -c '%a %g' /all/logs/sub")).toBe("x\n2777 3001\n");
    expect(await unpinned(node.pod("sub")!.metadata.uid)).toEqual([]);
    await node.delete("sub", 0);
  });

  it.each([
    { name: "unset", mount: { subPathExpr: "$(NOBODY)/$(A)" }, message: "missing value for A, NOBODY" },
    { name: "absolute", mount: { subPath: "/etc" }, message: "error SubPath `/etc` must not be an absolute path" },
    {
      name: "backwards",
      mount: { subPath: "../x" },
      message: "unable to provision SubPath `../x`: must not contain '..'",
    },
    {
      name: "outside",
      mount: { subPath: "link" },
      message: 'failed to prepare subPath for volumeMount "v" of container "main"',
    },
  ])("that is $name is refused", async ({ name, mount, message }) => {
    const host = join(node.dir, `sub-${name}`);
    mkdirSync(host);
    symlinkSync("/etc", join(host, "link"));
    const volumes = [{ name: "v", hostPath: { path: host } }];
    await run(name, { volumes, mounts: [{ name: "v", mountPath: "/v", ...mount }] }, false);
    const waiting = () => node.pod(name)?.status?.containerStatuses?.[0]?.state?.waiting;
    await waitFor("the refusal", () => waiting()?.reason === "CreateContainerConfigError");
    expect(waiting()!.message).toBe(message);
    await node.delete(name, 0);
  });

  /** Mount points of a pod's subPaths that are no mounts. */
  async function unpinned(uid: string): Promise<string[]> {
    const mounts = readFileSync("/proc/self/mounts", "utf8");
    const root = join(node.dir, "agent/pods", uid, "volume-subpaths/v/main");
    return readdirSync(root).filter((index) => !mounts.includes(` ${join(root, index)} `));
  }
});

it("an image is mounted by a runtime that can (containerd 2.1), its subPath too; others say that they cannot", async () => {
  await run(
    "image",
    {
      volumes: [{ name: "files", image: { reference: "nginx:1.29", pullPolicy: "Never" } }],
      mounts: [{ name: "files", mountPath: "/site", subPath: "usr/share/nginx/html" }],
    },
    false,
  );
  const pulled = 'Pulled Container image "nginx:1.29" already present on machine and can be accessed by the pod';
  await waitFor("the image", () => node.events("image").includes(pulled));
  const [major, minor] = (await node.cri.version()).runtimeVersion.replace("v", "").split(".").map(Number);
  if (major! > 2 || (major === 2 && minor! >= 1)) {
    await node.ready("image");
    expect(await node.exec("image", "cat /site/index.html")).toContain("Welcome to nginx!");
  } else {
    const waiting = () => node.pod("image")?.status?.containerStatuses?.[0]?.state?.waiting;
    await waitFor("the refusal", () => waiting()?.reason === "CreateContainerError");
    expect(waiting()!.message).toMatch(/failed to (mkdir|generate container)/);
  }
  await node.delete("image", 0);
});

it("what an agent left behind when it died goes with the next one's start", async () => {
  await kubelet.stop();
  const left = join(node.dir, "agent/pods/0000-gone/volumes/kubernetes.io~empty-dir/v");
  mkdirSync(left, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", left]);
  writeFileSync(join(left, "file"), "");
  kubelet = await node.startKubelet();
  await waitFor("it to go", () => !existsSync(join(node.dir, "agent/pods/0000-gone")));
  expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain("0000-gone");
});

const SLEEPER = {
  name: "main",
  image: "busybox:1.37",
  command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"],
  resources: { limits: { cpu: "2", memory: "64Mi" }, requests: { cpu: "10m", memory: "16Mi" } },
};

type Mounts = NonNullable<Container["volumeMounts"]>;

/** One container with these mounts. */
async function run(
  name: string,
  { mounts, env, ...spec }: Partial<Pod["spec"]> & { mounts: Mounts; env?: Container["env"] },
  isToBeReady = true,
): Promise<void> {
  await node.run(name, { ...spec, containers: [{ ...SLEEPER, volumeMounts: mounts, env }] } as Partial<Pod["spec"]>);
  if (isToBeReady) await node.ready(name);
}

const create = (ref: ResourceRef, name: string, fields: object) =>
  node.api.create(ref, { metadata: { name, namespace: "default" }, ...fields });
const patch = (ref: ResourceRef, name: string, fields: Record<string, unknown>) =>
  node.api.patch(ref, { name, namespace: "default" }, "merge", fields);

function mountShared(directory: string): void {
  execFileSync("mount", ["--bind", directory, directory]);
  execFileSync("mount", ["--make-shared", directory]);
}

function unmountAll(directory: string): void {
  for (const line of readFileSync("/proc/self/mounts", "utf8").split("\n").reverse()) {
    const path = line.split(" ")[1];
    if (path === directory || path?.startsWith(`${directory}/`)) execFileSync("umount", ["-l", path]);
  }
}
