import { readFileSync } from "node:fs";
import { parseResolvConf } from "./dns-config.ts";

type HostDns = ReturnType<typeof parseResolvConf>;

/** systemd-resolved's own stub listens on the node's loopback, which is not a pod's; the real servers are here. */
const STUB = "127.0.0.53";
const RESOLVED_FILE = "/run/systemd/resolve/resolv.conf";

/**
 * The resolvers that pods take over from the node, as they are now: DHCP changes them. Without a resolv.conf there are none.
 * @param read undefined for a file that is not there
 */
export function readHostDns(read: (path: string) => string | undefined = readIfThere): HostDns {
  const own = parseResolvConf(read("/etc/resolv.conf") ?? "");
  if (!own.servers.includes(STUB)) return own;
  const real = read(RESOLVED_FILE);
  return real === undefined ? own : parseResolvConf(real);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
