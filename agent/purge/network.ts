import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";
import { run } from "./run.ts";

/** libcni's: what the plugins were asked for and answered, one file an interface. */
const CNI_CACHE_DIR = "/var/lib/cni/results";
/** Where containerd keeps the pods' network namespaces, by names that begin so. */
const NETNS_DIR = "/run/netns";
const NETNS_PREFIX = "cni-";

const cachedResult = z.object({
  containerId: z.string(),
  result: z.object({ interfaces: z.array(z.object({ sandbox: z.string().optional() })).optional() }),
});

/**
 * Takes away what the network plugins made for the pods of one network, for when they were not asked to themselves: a
 * containerd that cannot be started any more. Finds no more than empty chains after an orderly removal of the pods.
 * @param tablesBefore as `nft list tables` printed them before the agent came; undefined if that is not known
 */
export function removePodNetwork(network: string, tablesBefore: readonly string[] | undefined): void {
  removeNamespaces(network);
  for (const tool of ["iptables", "ip6tables"]) removeRules(tool, network);
  if (tablesBefore) for (const family of ["ip", "ip6"]) removeEmptyTable(family, tablesBefore);
}

/** The plugins' `iptables` makes a table and never takes it away. It goes if it came after us and nobody has a rule in it. */
function removeEmptyTable(family: string, tablesBefore: readonly string[]): void {
  if (tablesBefore.includes(`table ${family} nat`)) return;
  const tables = run("nft", ["list", "tables"], { isOptional: true }).split("\n");
  if (!tables.includes(`table ${family} nat`)) return;
  if (isEmptyTable(run("nft", ["list", "table", family, "nat"]))) run("nft", ["delete", "table", family, "nat"]);
}

/** Whether there are no rules in what `nft list table` printed, and nothing but base chains that accept. */
export function isEmptyTable(text: string): boolean {
  const lines = text.split("\n").map((line) => line.trim());
  const known = /^(table .*\{|chain \S+ \{|type nat hook .* policy accept;|\}|# .*|)$/;
  return lines.every((line) => known.test(line));
}

/** With its namespace an interface goes, and with it its peer on the bridge. */
function removeNamespaces(network: string): void {
  if (!existsSync(CNI_CACHE_DIR)) return;
  const names = readdirSync(CNI_CACHE_DIR);
  for (const name of names.filter((name) => name.startsWith(`${network}-`))) {
    const file = join(CNI_CACHE_DIR, name);
    const parsed = cachedResult.safeParse(jsonOrUndefined(readFileSync(file, "utf8")));
    if (parsed.success) {
      for (const path of namespacesIn(parsed.data)) removeNamespace(path);
      const others = names.filter((other) => other.startsWith(`cni-loopback-${parsed.data.containerId}-`));
      for (const other of others) rmSync(join(CNI_CACHE_DIR, other), { force: true });
    }
    rmSync(file, { force: true });
  }
}

/** Only such as containerd makes: whatever a cache file says, nothing else is unmounted. */
function namespacesIn({ result }: z.infer<typeof cachedResult>): string[] {
  const paths = (result.interfaces ?? []).flatMap(({ sandbox }) => (sandbox ? [resolve(sandbox)] : []));
  const real = paths.map((path) => path.replace(/^\/var\/run\//, "/run/"));
  return [...new Set(real)].filter((path) => dirname(path) === NETNS_DIR && basename(path).startsWith(NETNS_PREFIX));
}

function removeNamespace(path: string): void {
  if (!existsSync(path)) return;
  run("umount", ["-l", path]);
  rmSync(path, { force: true });
}

function removeRules(tool: string, network: string): void {
  const saved = run(`${tool}-save`, ["-t", "nat"], { isOptional: true });
  const removal = rulesToRemove(saved, network);
  if (removal) run(`${tool}-restore`, ["--noflush"], { input: removal });
  const left = hostPortChainsToRemove(removal ? run(`${tool}-save`, ["-t", "nat"]) : saved);
  if (left) run(`${tool}-restore`, ["--noflush"], { input: left });
}

/**
 * The portmap plugin's own chains, which it leaves in place and makes again when a pod has a host port. Nothing while
 * any pod has one, of whatever network.
 * @param saved the output of `iptables-save -t nat`
 */
export function hostPortChainsToRemove(saved: string): string {
  const lines = saved.split("\n");
  const chains = lines.flatMap((line) => /^:(CNI-HOSTPORT-\w+) /.exec(line)?.[1] ?? []);
  if (chains.length === 0 || lines.some((line) => line.startsWith("-A CNI-HOSTPORT-DNAT "))) return "";
  const jumps = lines.filter((line) => /^-A (?!CNI-).* -j CNI-HOSTPORT-\w+$/.test(line));
  return [
    "*nat",
    ...jumps.map((line) => line.replace(/^-A/, "-D")),
    ...chains.map((name) => `-F ${name}`),
    ...chains.map((name) => `-X ${name}`),
    "COMMIT",
    "",
  ].join("\n");
}

/**
 * What makes `iptables-restore --noflush` take away the rules and chains of a network: the plugins write its name into
 * a comment of each rule.
 * @param saved the output of `iptables-save -t nat`
 * @returns empty when there are none
 */
export function rulesToRemove(saved: string, network: string): string {
  const mine = saved
    .split("\n")
    .filter((line) => line.startsWith("-A ") && line.includes(`name: \\"${network}\\" id: `));
  const chains = new Set(
    mine.map((line) => /-j (CNI-(?:DN-)?[0-9a-f]+)$/.exec(line)?.[1]).filter((name) => name !== undefined),
  );
  if (mine.length === 0) return "";
  const jumps = mine.filter((line) => !chains.has(line.split(" ")[1]!)).map((line) => line.replace(/^-A/, "-D"));
  const whole = [...chains];
  return [
    "*nat",
    ...jumps,
    ...whole.map((name) => `-F ${name}`),
    ...whole.map((name) => `-X ${name}`),
    "COMMIT",
    "",
  ].join("\n");
}
