import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";

/** Debian's packages, and where the CNI project's own archives are unpacked. */
const CNI_BIN_DIRS = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];
const SEARCH_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/** The CNI plugins a node's network is made of. */
const CNI_PLUGINS = ["bridge", "host-local", "loopback", "portmap"];
const CAP_SYS_RESOURCE = 24;

/** PATH for what we start: root's shell may lack the sbin directories (Debian's `su`). */
export function runtimePath(path = process.env["PATH"] ?? ""): string {
  return [...new Set([...path.split(":").filter(Boolean), ...SEARCH_PATH])].join(":");
}

export function findProgram(name: string): string | undefined {
  return runtimePath()
    .split(":")
    .map((dir) => join(dir, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The directory that has every CNI plugin we use; undefined when none has. */
export function findCniBinDir(): string | undefined {
  return CNI_BIN_DIRS.find((dir) => CNI_PLUGINS.every((plugin) => existsSync(join(dir, plugin))));
}

/** Whether this process may lower oom_score_adj (CAP_SYS_RESOURCE is effective). */
export function mayRaisePriority(status = readFileSync("/proc/self/status", "utf8")): boolean {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return ((effective >> BigInt(CAP_SYS_RESOURCE)) & 1n) === 1n;
}

/**
 * What is missing for more than running pods, by the names of Debian's packages: a node does without, and says so where it
 * matters. Programs for WireGuard are of use only where the kernel has it.
 * @param modules the kernel's own list of its modules, as a text; empty if there is none
 */
export function usefulPackages(modules = kernelModules()): string[] {
  return /\/wireguard\.ko/.test(modules) && !findProgram("wg") ? ["wireguard-tools"] : [];
}

function kernelModules(): string {
  const lists = ["modules.dep", "modules.builtin"].map((name) => join("/lib/modules", release(), name));
  return lists
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

/** What is missing to run pods here, by the names of Debian's packages. Empty when nothing is. */
export function missingPackages(): string[] {
  const programs: [program: string, pkg: string][] = [
    ["containerd", "containerd"],
    ["runc", "runc"],
    ["nft", "nftables"],
    ["conntrack", "conntrack"],
    ["ip", "iproute2"],
  ];
  const missing = programs.filter(([program]) => !findProgram(program)).map(([, pkg]) => pkg);
  return findCniBinDir() ? missing : [...missing, "containernetworking-plugins"];
}
