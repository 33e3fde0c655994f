import { existsSync, readFileSync } from "node:fs";
import { installMissingPackages } from "../../cli/packages.ts";

/** Puts in place what the end-to-end suites need beside what `up` installs: busybox, of which test images are made. */
export async function prepareMachine(): Promise<void> {
  const hasBusybox = ["/usr/bin/busybox", "/bin/busybox"].some(
    (path) => existsSync(path) && !readFileSync(path).includes("/ld-linux"), // a dynamic program names its loader
  );
  await installMissingPackages(hasBusybox ? [] : ["busybox-static"]);
}
