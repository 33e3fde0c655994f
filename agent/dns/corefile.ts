import { isIP } from "node:net";
import { parseIp, printIp } from "../../shared/api/ip.ts";

export interface Server {
  address: string;
  port: number;
}

export interface Rewrite {
  match: "exact" | "prefix" | "suffix";
  from: string;
  to: string;
}

/** Where names of a zone are asked about: some servers, or the node's own. */
export interface Forward {
  zone: string;
  servers: Server[] | "node";
  except: string[];
}

export interface Hosts {
  addresses: Map<string, string[]>;
  ttlSeconds: number;
  fallsThrough: boolean;
}

/** What is done for the names of some zones. Zones are in lower case, the root is the empty name. */
export interface ServerBlock {
  zones: string[];
  rewrites: Rewrite[];
  hosts?: Hosts;
  kubernetes?: { ttlSeconds: number; pods: "disabled" | "insecure" };
  forwards: Forward[];
  /** 0: nothing is kept. */
  cacheSeconds: number;
}

export interface Corefile {
  blocks: ServerBlock[];
  /** What was passed over, in words for the log. */
  notUnderstood: string[];
}

/** What kubeadm installs CoreDNS with, as far as it says how names are answered. */
export const DEFAULT_COREFILE = `.:53 {
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    loadbalance
}
`;

const MAX_COREFILE_CHARS = 1 << 20;
const DEFAULT_TTL_SECONDS = 5;
const HOSTS_TTL_SECONDS = 3600;
const MAX_CACHE_SECONDS = 3600;
/** What an agent does in its own way, or has no use for. */
const OF_NO_MATTER = new Set(
  "errors health ready prometheus loop reload loadbalance bufsize cancel log debug bind metadata".split(" "),
);
const OPTIONS_OF_NO_MATTER = new Set(
  "max_concurrent policy prefer_udp force_tcp expire max_fails health_check fallthrough endpoint_pod_names noendpoints reload no_reverse".split(
    " ",
  ),
);

interface Directive {
  name: string;
  values: string[];
  body: Directive[];
}

/**
 * Reads the configuration of names: the part of CoreDNS's language that tells how names are answered.
 * @param extra further texts (`coredns-custom`): server blocks, and directives for the block of the root
 * @throws SyntaxError for braces that do not match
 */
export function parseCorefile(text: string, extra: { servers: string[]; overrides: string[] } = NO_EXTRA): Corefile {
  const notUnderstood: string[] = [];
  const blocks = [text, ...extra.servers].flatMap(readDirectives).map((directive) => blockOf(directive, notUnderstood));
  const root = blocks.find(({ zones }) => zones.includes(""));
  for (const directive of extra.overrides.flatMap(readDirectives)) {
    if (root) take(root, directive, notUnderstood);
  }
  return { blocks, notUnderstood };
}

const NO_EXTRA = { servers: [], overrides: [] };

function readDirectives(text: string): Directive[] {
  if (text.length > MAX_COREFILE_CHARS) throw new SyntaxError("the Corefile is too large");
  const top: Directive[] = [];
  const open: Directive[][] = [top];
  for (const line of text.split("\n")) {
    const words = line.replace(/(^|\s)#.*$/, "").match(/"[^"]*"|\S+/g) ?? [];
    if (words.length === 0) continue;
    if (words.length === 1 && words[0] === "}") {
      open.pop();
      if (open.length === 0) throw new SyntaxError("a closing brace too many in the Corefile");
      continue;
    }
    const opens = words.at(-1) === "{";
    const [name, ...values] = (opens ? words.slice(0, -1) : words).map((word) => word.replaceAll('"', ""));
    if (name === undefined) throw new SyntaxError("a brace without a name in the Corefile");
    const directive: Directive = { name, values, body: [] };
    open.at(-1)!.push(directive);
    if (opens) open.push(directive.body);
    if (open.length > 4) throw new SyntaxError("braces too deep in the Corefile");
  }
  if (open.length > 1) throw new SyntaxError("a closing brace is missing in the Corefile");
  return top;
}

function blockOf({ name, values, body }: Directive, notUnderstood: string[]): ServerBlock {
  const zones: string[] = [];
  for (const word of [name, ...values]) {
    const [, scheme, zone, port] = /^(?:(\w+):\/\/)?([^:]*)(?::(\d+))?,?$/.exec(word) ?? [];
    const isServed = zone !== undefined && (scheme ?? "dns") === "dns" && (port ?? "53") === "53";
    if (isServed) zones.push(zoneOf(zone.replace(/,$/, "")));
    else notUnderstood.push(`server ${word}`);
  }
  const block: ServerBlock = { zones, rewrites: [], forwards: [], cacheSeconds: 0 };
  for (const directive of body) take(block, directive, notUnderstood);
  return block;
}

const zoneOf = (word: string) => word.toLowerCase().replace(/\.$/, "");

function take(block: ServerBlock, directive: Directive, notUnderstood: string[]): void {
  const { name, values, body } = directive;
  const isTaken = TAKE[name]?.(block, values, body, notUnderstood) ?? OF_NO_MATTER.has(name);
  if (!isTaken) notUnderstood.push([name, ...values].join(" ").slice(0, 200));
}

/** @returns whether it was understood */
type Take = (block: ServerBlock, values: string[], body: Directive[], notUnderstood: string[]) => boolean;

const TAKE: Record<string, Take | undefined> = {
  __proto__: null as never,
  kubernetes(block, _zones, body, notUnderstood) {
    const kubernetes: NonNullable<ServerBlock["kubernetes"]> = { ttlSeconds: DEFAULT_TTL_SECONDS, pods: "disabled" };
    for (const { name, values } of body) {
      const seconds = wholeNumber(values[0], MAX_CACHE_SECONDS);
      if (name === "ttl" && seconds !== undefined) kubernetes.ttlSeconds = seconds;
      else if (name === "pods" && (values[0] === "disabled" || values[0] === "insecure")) kubernetes.pods = values[0];
      else if (!OPTIONS_OF_NO_MATTER.has(name)) notUnderstood.push(`kubernetes ${name} ${values.join(" ")}`);
    }
    block.kubernetes = kubernetes;
    return true;
  },
  forward(block, [zone, ...to], body, notUnderstood) {
    if (zone === undefined || to.length === 0) return false;
    const servers = to.map(serverOf).filter((each) => each !== undefined);
    const isNode = to.length === 1 && to[0] === "/etc/resolv.conf";
    if (!isNode && servers.length < to.length) return false;
    const forward: Forward = { zone: zoneOf(zone), servers: isNode ? "node" : servers, except: [] };
    for (const { name, values } of body) {
      if (name === "except") forward.except.push(...values.map(zoneOf));
      else if (!OPTIONS_OF_NO_MATTER.has(name)) notUnderstood.push(`forward ${name} ${values.join(" ")}`);
    }
    block.forwards.push(forward);
    return true;
  },
  cache(block, [seconds], body) {
    block.cacheSeconds = wholeNumber(seconds, MAX_CACHE_SECONDS) ?? MAX_CACHE_SECONDS;
    // What the cluster knows itself is never kept, so that this asks for nothing.
    return body.every(({ name }) => name === "disable");
  },
  hosts(block, values, body, notUnderstood) {
    const hosts: Hosts = { addresses: new Map(), ttlSeconds: HOSTS_TTL_SECONDS, fallsThrough: false };
    for (const { name, values: names } of body) {
      const address = parseIp(name);
      if (address) {
        for (const each of names.map(zoneOf)) {
          hosts.addresses.set(each, [...(hosts.addresses.get(each) ?? []), printIp(address)]);
        }
      } else if (name === "ttl") hosts.ttlSeconds = wholeNumber(names[0], 65_535) ?? HOSTS_TTL_SECONDS;
      else if (name === "fallthrough") hosts.fallsThrough = true;
      else if (!OPTIONS_OF_NO_MATTER.has(name)) notUnderstood.push(`hosts ${name}`);
    }
    block.hosts = hosts;
    // A file would be one of the pod's that CoreDNS runs in.
    return values.length === 0;
  },
  rewrite(block, values) {
    const words = values[0] === "stop" || values[0] === "continue" ? values.slice(1) : values;
    const [field, ...rest] = words;
    const [match, from, to] = rest.length === 2 ? ["exact", ...rest] : rest;
    if (field !== "name" || from === undefined || to === undefined) return false;
    if (match !== "exact" && match !== "prefix" && match !== "suffix") return false;
    block.rewrites.push({ match, from: zoneOf(from), to: zoneOf(to) });
    return true;
  },
};

function wholeNumber(text: string | undefined, max: number): number | undefined {
  const number = Number(text);
  return text !== undefined && /^\d{1,9}$/.test(text) && number <= max ? number : undefined;
}

function serverOf(word: string): Server | undefined {
  const [, bracketed, plain, port = "53"] =
    /^(?:dns:\/\/)?(?:\[([^\]]+)\]|([^[\]]*?))(?::(\d{1,5}))?$/.exec(word) ?? [];
  const whole = word.replace(/^dns:\/\//, "");
  if (isIP(whole) === 6) return { address: whole, port: 53 };
  const address = bracketed ?? plain ?? "";
  return isIP(address) && Number(port) <= 65_535 && Number(port) > 0 ? { address, port: Number(port) } : undefined;
}
