/**
 * A machine with cgroup v2 and systemd, whatever the host has: QEMU without KVM. Booted once, until both containerds
 * answer and have the test images, and kept as a snapshot in the user's cache; each test file starts from a copy of it,
 * which takes seconds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../harness/wait-for.ts";
import { cached, contentKey } from "./cache.ts";
import { command } from "./command.ts";
import { Guest } from "./guest.ts";
import { installHostPackages } from "./host-packages.ts";
import { buildPayload, PAYLOAD } from "./payload.ts";
import { Qemu } from "./qemu.ts";
import {
  CGROUP_DRIVERS,
  type CgroupDriver,
  containerdDir,
  type RootImage,
  rootImage,
  rootImageKey,
} from "./root-image.ts";

const SNAPSHOT = "ready";
const RUNTIME_TIMEOUT_MS = 10 * 60_000;
const IMAGES = join(import.meta.dirname, "../../images");

export interface VirtualMachine {
  guest: Guest;
  /** Ends it and removes what it has written. */
  remove(): Promise<void>;
}

export async function startVirtualMachine(): Promise<VirtualMachine> {
  await installHostPackages();
  const image = await rootImage();
  const dir = mkdtempSync(join(tmpdir(), "hearth-vm-"));
  try {
    const snapshot = await readySnapshot(image);
    const overlay = join(dir, "overlay.qcow2");
    const payload = join(dir, "payload.ext4");
    await command("cp", ["--sparse=always", join(snapshot, "overlay.qcow2"), overlay]);
    await buildPayload(payload);
    const qemu = await Qemu.start({ image, overlay, payload, dir, load: SNAPSHOT });
    const remove = async () => {
      await qemu.stop();
      rmSync(dir, { recursive: true, force: true });
    };
    const guest = new Guest(qemu);
    try {
      await guest.untilReachable();
      // Its clock stands where it was when the snapshot was taken.
      await guest.run(`busybox hwclock -s -u && ${MOUNT_PAYLOAD}`);
    } catch (error) {
      await remove();
      throw error;
    }
    return { guest, remove };
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

const MOUNT_PAYLOAD = `mkdir -p ${PAYLOAD} && mount -o ro /dev/vdb ${PAYLOAD}`;

function readySnapshot(image: RootImage): Promise<string> {
  const own = ["virtual-machine.ts", "payload.ts", "qemu.ts"].map((name) => join(import.meta.dirname, name));
  const key = `${rootImageKey()}-${contentKey([IMAGES, ...own])}`;
  return cached("snapshot", key, async (dir) => {
    console.log("booting the virtual machine for its snapshot (about a minute, once)");
    const overlay = join(dir, "overlay.qcow2");
    const payload = join(dir, "payload.ext4");
    await buildPayload(payload);
    await command("qemu-img", ["create", "-q", "-f", "qcow2", "-b", image.disk, "-F", "raw", overlay]);
    const qemu = await Qemu.start({ image, overlay, payload, dir });
    try {
      const guest = new Guest(qemu);
      await guest.untilReachable();
      await guest.run(MOUNT_PAYLOAD);
      for (const driver of CGROUP_DRIVERS) await importImages(guest, driver);
      await guest.run(`umount ${PAYLOAD} && sync && echo 3 > /proc/sys/vm/drop_caches`);
      await qemu.monitor(`savevm ${SNAPSHOT}`);
    } finally {
      await qemu.stop();
      rmSync(payload, { force: true });
    }
  });
}

async function importImages(guest: Guest, driver: CgroupDriver): Promise<void> {
  const ctr = `ctr -a ${containerdDir(driver)}/containerd.sock -n k8s.io`;
  const answers = () => guest.run(`${ctr} version`);
  await waitFor(`containerd (${driver})`, answers, { timeoutMs: RUNTIME_TIMEOUT_MS, intervalMs: 1_000 }).catch(
    async (cause: unknown) => {
      const journal = await guest.run(`journalctl --no-pager -n 30 -u containerd@${driver}`).catch(String);
      throw new Error(`the guest's containerd does not answer:\n${journal}`, { cause });
    },
  );
  await guest.run(`for image in ${PAYLOAD}/images/*.tar; do ${ctr} images import $image || exit 1; done`);
}
