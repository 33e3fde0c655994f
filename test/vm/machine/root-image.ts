/**
 * A small Debian with systemd, containerd, nftables and Node.js: kernel, initramfs and root file system for QEMU. Made
 * with debootstrap from Debian's mirrors; the user's cache keeps it.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { containerdPaths, renderContainerdConfig } from "../../../agent/runtime/containerd-config.ts";
import { cached, contentKey } from "./cache.ts";
import { command } from "./command.ts";
import { buildInitramfs } from "./initramfs.ts";

const RELEASE = "trixie";
/** Where containerd and runc come from: Kubernetes 1.36 wants containerd 2, which the release has not. */
const NEWER_RELEASE = "forky";
const PACKAGES = [
  ...["systemd-sysv", "dbus", "kmod", "ca-certificates", "busybox-static"],
  ...["containernetworking-plugins", "nftables", "iproute2", "conntrack", "apparmor", "wireguard-tools"],
];
const GUEST = join(import.meta.dirname, "../guest");
const NODE = join(import.meta.dirname, "../../../node_modules/node/bin/node");
/** Sparse: only what is written takes room on the host. */
const DISK_SIZE = "4G";

export const CGROUP_DRIVERS = ["cgroupfs", "systemd"] as const;
export type CgroupDriver = (typeof CGROUP_DRIVERS)[number];

/** The directory in the guest of the containerd that uses this cgroup driver. */
export const containerdDir = (driver: CgroupDriver) => `/run/containerd-${driver}`;

export interface RootImage {
  kernel: string;
  initramfs: string;
  /** An ext4 file system, raw. */
  disk: string;
}

const recipe = [
  GUEST,
  import.meta.filename,
  join(import.meta.dirname, "initramfs.ts"),
  join(import.meta.dirname, "../../../agent/runtime/containerd-config.ts"),
];
/** What decides the image's content; the packages' versions do not, so that it is not made anew all the time. */
export const rootImageKey = (): string => contentKey(recipe);

export async function rootImage(): Promise<RootImage> {
  const dir = await cached("root", rootImageKey(), build);
  return { kernel: join(dir, "vmlinuz"), initramfs: join(dir, "initramfs.gz"), disk: join(dir, "root.ext4") };
}

async function build(dir: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("making the virtual machine's disk needs root (debootstrap)");
  console.log("making the virtual machine's disk (debootstrap; a few minutes, once)");
  const root = join(dir, "root");
  const mirror = await debianMirror();
  await command("debootstrap", ["--variant=minbase", `--include=${PACKAGES.join(",")}`, RELEASE, root, mirror]);
  await installContainerd(root, mirror);
  const version = await installKernel(root, dir);
  configure(root);
  await command("chroot", [root, "systemctl", "enable", ...services()]);
  await buildInitramfs(join(root, "usr/lib/modules", version), join(dir, "initramfs.gz"));
  await command("truncate", ["-s", DISK_SIZE, join(dir, "root.ext4")]);
  const options = ["-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d", root];
  await command("mke2fs", [...options, join(dir, "root.ext4")]);
  rmSync(root, { recursive: true });
}

const services = () => ["vm-network", "vm-exec", ...CGROUP_DRIVERS.map((driver) => `containerd@${driver}`)];

/** Where this machine gets Debian's packages. @throws Error on another distribution */
async function debianMirror(): Promise<string> {
  const targets = await command("apt-get", [
    "indextargets",
    "--format",
    "$(LABEL) $(REPO_URI)",
    "Created-By: Packages",
  ]);
  const mirror = /^Debian (\S+)$/m.exec(targets)?.[1];
  if (!mirror) throw new Error("this machine has no Debian mirror in its apt sources, from which to make the guest");
  return mirror;
}

async function installContainerd(root: string, mirror: string): Promise<void> {
  const sources = [RELEASE, NEWER_RELEASE].map((release) => `deb ${mirror} ${release} main\n`);
  writeFileSync(join(root, "etc/apt/sources.list"), sources.join(""));
  writeFileSync(join(root, "etc/apt/preferences"), `Package: *\nPin: release n=${NEWER_RELEASE}\nPin-Priority: 100\n`);
  copyFileSync("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  // A mirror that lags behind is good enough here.
  await command("chroot", [root, "apt-get", "-o", "Acquire::Check-Valid-Until=false", "update", "-qq"]);
  const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "-t", NEWER_RELEASE];
  await command("chroot", [root, ...install, "containerd", "runc"]);
  await command("chroot", [root, "systemctl", "disable", "containerd"]);
}

/** @returns the kernel's version */
async function installKernel(root: string, dir: string): Promise<string> {
  const depends = await command("chroot", [root, "apt-cache", "depends", `linux-image-cloud-amd64/${RELEASE}`]);
  const name = /Depends: (linux-image-\d\S+)/.exec(depends)?.[1];
  if (!name) throw new Error("there is no kernel in linux-image-cloud-amd64");
  await command("chroot", [root, "sh", "-c", `cd /tmp && apt-get download -qq ${name}`]);
  const archive = readdirSync(join(root, "tmp")).find((file) => file.endsWith(".deb"))!;
  await command("dpkg-deb", ["-x", join(root, "tmp", archive), root]);
  const version = readdirSync(join(root, "usr/lib/modules"))[0]!;
  await command("chroot", [root, "depmod", version]);
  copyFileSync(join(root, "boot", `vmlinuz-${version}`), join(dir, "vmlinuz"));
  await command("chroot", [root, "apt-get", "clean"]);
  for (const path of ["boot", "usr/share/doc", "usr/share/man", "usr/share/locale", "var/lib/apt/lists", "tmp"]) {
    rmSync(join(root, path), { recursive: true });
    mkdirSync(join(root, path));
  }
  chmodSync(join(root, "tmp"), 0o1777);
  return version;
}

function configure(root: string): void {
  cpSync(join(GUEST, "rootfs"), root, { recursive: true });
  mkdirSync(join(root, "opt/vm"), { recursive: true });
  copyFileSync(join(GUEST, "exec-server.ts"), join(root, "opt/vm/exec-server.ts"));
  copyFileSync(NODE, join(root, "usr/local/bin/node"));
  chmodSync(join(root, "usr/local/bin/node"), 0o755);
  mkdirSync(join(root, "etc/containerd"), { recursive: true });
  for (const driver of CGROUP_DRIVERS) {
    const facts = { cniBinDir: "/usr/lib/cni", mayRaisePriority: true, usesSystemdCgroup: driver === "systemd" };
    const config = renderContainerdConfig(containerdPaths(containerdDir(driver)), facts)
      // Its directory is in memory: images go to the disk.
      .replace(/^root = .*$/m, `root = "/var/lib/containerd-${driver}"`);
    writeFileSync(join(root, `etc/containerd/${driver}.toml`), config);
  }
}
