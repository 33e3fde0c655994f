import { existsSync, readFileSync } from "node:fs";
import { installMissingPackages } from "../../cli/packages.ts";

/** Puts in place what the end-to-end suites need beside what `up` installs: busybox and socat, of which test images are made. */
export async function prepareMachine(): Promise<void> {
  const hasBusybox = ["/usr/bin/busybox", "/bin/busybox"].some(
    (path) => existsSync(path) && !readFileSync(path).includes("/ld-linux"), // a dynamic program names its loader
  );
  const hasSocat = existsSync("/usr/bin/socat");
  await installMissingPackages([...(hasBusybox ? [] : ["busybox-static"]), ...(hasSocat ? [] : ["socat"])]);
}
