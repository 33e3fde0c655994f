import type { Pod } from "../api/index.ts";
import type { DnsConfig } from "../cri/index.ts";

/** Bounds of resolv.conf (KEP-2595). */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
/** Of the whole line, with blanks. */
const MAX_SEARCH_LINE_CHARS = 2048;
/** Longer ones bring down some resolvers (glibc 2.28). */
const MAX_SEARCH_CHARS = 253;

export interface ClusterDns {
  serverIp: string;
  domain: string;
}

/** What the node's own resolv.conf says. The last search line and the last of each option win. */
export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === "nameserver" && values[0]) servers.push(values[0]);
    // The root says nothing that a resolver would not do anyway.
    if (keyword === "search") searches = values.filter((name) => name !== ".").map((name) => name.replace(/\.$/, ""));
    if (keyword === "options") for (const option of values) options.set(option.split(":")[0]!, option);
  }
  return { servers, searches, options: [...options.values()] };
}

/**
 * A pod's resolv.conf, by its dnsPolicy and dnsConfig.
 * @param onOmitted told in upstream's words what did not fit
 */
export function decideDns(
  pod: Pod,
  cluster: ClusterDns,
  host: DnsConfig,
  onOmitted: (message: string) => void = () => {},
): DnsConfig {
  const { spec } = pod;
  const policy = spec.dnsPolicy ?? "ClusterFirst";
  const usesCluster = policy === "ClusterFirstWithHostNet" || (policy === "ClusterFirst" && !spec.hostNetwork);
  const base: DnsConfig =
    policy === "None"
      ? { servers: [], searches: [], options: [] }
      : usesCluster
        ? {
            servers: [cluster.serverIp],
            searches: unique([
              `${pod.metadata.namespace}.svc.${cluster.domain}`,
              `svc.${cluster.domain}`,
              cluster.domain,
              ...host.searches,
            ]),
            options: ["ndots:5"],
          }
        : host;
  const extra = spec.dnsConfig;
  const config = extra
    ? {
        servers: unique([...base.servers, ...(extra.nameservers ?? [])]),
        searches: unique([...base.searches, ...(extra.searches ?? [])]),
        options: mergeOptions(base.options, extra.options ?? []),
      }
    : base;
  return {
    ...config,
    servers: fitServers(config.servers, onOmitted),
    searches: fitSearches(config.searches, onOmitted),
  };
}

function fitServers(all: string[], onOmitted: (message: string) => void): string[] {
  const servers = all.slice(0, MAX_SERVERS);
  if (servers.length < all.length) {
    onOmitted(
      `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${servers.join(" ")}`,
    );
  }
  return servers;
}

function fitSearches(all: string[], onOmitted: (message: string) => void): string[] {
  const searches = all.slice(0, MAX_SEARCHES).filter((name) => name.length <= MAX_SEARCH_CHARS);
  while (searches.join(" ").length > MAX_SEARCH_LINE_CHARS) searches.pop();
  if (searches.length < all.length) {
    onOmitted(
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(" ")}`,
    );
  }
  return searches;
}

/** What is wrong with the node's own search line, in upstream's words; undefined if pods can have it after the cluster's three. */
export function whyResolvConfTooLong(path: string, { searches }: DnsConfig): string | undefined {
  const maxDomains = MAX_SEARCHES - 3;
  if (searches.length > maxDomains) {
    return `Resolv.conf file '${path}' contains search line consisting of more than ${maxDomains} domains!`;
  }
  if (searches.some((name) => name.length > MAX_SEARCH_CHARS)) {
    return `Resolv.conf file "${path}" contains a search path which length is more than allowed ${MAX_SEARCH_CHARS} chars!`;
  }
  return searches.join(" ").length > MAX_SEARCH_LINE_CHARS
    ? `Resolv.conf file '${path}' contains search line which length is more than allowed ${MAX_SEARCH_LINE_CHARS} chars!`
    : undefined;
}

/** The pod's options replace those of the same name. */
function mergeOptions(base: string[], extra: { name?: string; value?: string }[]): string[] {
  const byName = new Map(base.map((option) => [option.split(":")[0]!, option]));
  for (const { name, value } of extra) {
    if (name) byName.set(name, value === undefined || value === "" ? name : `${name}:${value}`);
  }
  return [...byName.values()];
}

const unique = (list: string[]) => [...new Set(list)];
