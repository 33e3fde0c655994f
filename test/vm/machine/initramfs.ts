import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { command } from "./command.ts";

/** The kernel has ext4, but not the disk's driver. */
const MODULES = ["virtio_blk"];

/** The least that mounts /dev/vda and starts its init: busybox and the disk's driver. @param modules /lib/modules/VERSION */
export async function buildInitramfs(modules: string, target: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "hearth-initramfs-"));
  try {
    for (const dir of ["bin", "dev", "proc", "sys", "root"]) mkdirSync(join(work, dir));
    copyFileSync("/usr/bin/busybox", join(work, "bin/busybox"));
    const files = MODULES.flatMap((name) => withDependencies(modules, name));
    for (const file of files) {
      copyFileSync(join(modules, file), join(work, basename(file)));
      if (file.endsWith(".xz")) await command("xz", ["-d", join(work, basename(file))]);
    }
    writeFileSync(join(work, "init"), renderInit(files.map((file) => basename(file, ".xz"))), { mode: 0o755 });
    await command("sh", ["-c", `cd '${work}' && find . | busybox cpio -o -H newc | gzip -1 > '${target}'`]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const renderInit = (modules: string[]) => `#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
/bin/busybox mount -t proc none /proc
${modules.map((name) => `/bin/busybox insmod /${name}`).join("\n")}
until [ -b /dev/vda ]; do /bin/busybox sleep 0.1; done
/bin/busybox mount -t ext4 /dev/vda /root
/bin/busybox umount /proc
exec /bin/busybox switch_root /root /sbin/init
`;

/** A module's file and those it needs, the needed ones first. */
function withDependencies(modules: string, name: string): string[] {
  const lines = readFileSync(join(modules, "modules.dep"), "utf8").split("\n");
  const line = lines.find((line) => basename(line.split(":")[0]!).replace(/\.ko(\.xz)?$/, "") === name);
  if (!line) throw new Error(`the kernel has no module ${name}`);
  const [file, needed = ""] = line.split(":");
  return [...needed.split(" ").filter(Boolean).reverse(), file!];
}
