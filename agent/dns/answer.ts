import { parseIp } from "../../shared/api/ip.ts";
import type { Service } from "../../shared/api/types.ts";
import { type ClusterNames, clusterIpsOf, type NamedPort } from "./cluster-names.ts";
import { type DnsRecord, failure, isInZone, type Question, type Reply } from "./record.ts";

export interface Zone {
  domain: string;
  ttlSeconds: number;
  pods: "disabled" | "insecure";
  /** Whose address `ns.dns.<domain>` has, as the name server of the zone. */
  nameServer?: string;
}

/** The version of the specification of names that is kept to. */
const SCHEMA_VERSION = "1.1.0";
const SCHEMA_TTL_SECONDS = 28_800;
const REVERSE_ZONES = ["in-addr.arpa", "ip6.arpa"];

/** What a name stands for, whatever type was asked. */
interface Target {
  /** An address, or another's name. */
  host: string;
  isAddress: boolean;
  /** The target's own name, that SRV records lead to. */
  name: string;
  /** Undefined for what has no port. */
  port?: number;
}

/** `absent` is NXDOMAIN. A name that is there without anything of its own (`svc.<domain>`) has no targets. */
type Found = Target[] | "absent";

/**
 * What the cluster knows of a name.
 * @returns undefined for what is not the cluster's to answer: outside of its zone, an address that it does not know
 * @see Kubernetes DNS-Based Service Discovery 1.1.0; where it leaves a choice, CoreDNS's plugin
 */
export function answer(question: Question, names: ClusterNames, zone: Zone): Reply | undefined {
  const { name, type } = question;
  if (REVERSE_ZONES.some((reverse) => isInZone(name, reverse))) return answerReverse(question, names, zone);
  if (!isInZone(name, zone.domain)) return undefined;
  if (type === "AXFR" || type === "IXFR") return failure("REFUSED");
  if (!names.isKnown()) return failure("SERVFAIL");
  const own = answerZone(question, names, zone);
  if (own) return own;
  const found = find(name.slice(0, -zone.domain.length - 1), names, zone);
  if (found === "absent") return negative("NXDOMAIN", names, zone);
  const records = recordsOf(question, found, zone);
  if (records.answers.length === 0) return negative("NOERROR", names, zone);
  return { ...failure("NOERROR"), isAuthoritative: true, ...records };
}

function negative(rcode: "NOERROR" | "NXDOMAIN", names: ClusterNames, zone: Zone): Reply {
  return { ...failure(rcode), isAuthoritative: true, authorities: [soa(names, zone)] };
}

/** The fields are CoreDNS's. */
const soa = (names: ClusterNames, { domain, ttlSeconds }: Zone): DnsRecord => ({
  name: domain,
  ttl: ttlSeconds,
  type: "SOA",
  data: {
    mname: `ns.dns.${domain}`,
    rname: `hostmaster.${domain}`,
    serial: names.serial(),
    refresh: 7200,
    retry: 1800,
    expire: 86_400,
    minimum: ttlSeconds,
  },
});

/** What belongs to the zone itself rather than to an object in it. */
function answerZone({ name, type }: Question, names: ClusterNames, zone: Zone): Reply | undefined {
  const { domain, ttlSeconds, nameServer } = zone;
  const say = (answers: DnsRecord[], additionals: DnsRecord[] = []): Reply =>
    answers.length === 0
      ? negative("NOERROR", names, zone)
      : { ...failure("NOERROR"), isAuthoritative: true, answers, additionals };
  const address: DnsRecord[] = nameServer
    ? [{ name: `ns.dns.${domain}`, ttl: ttlSeconds, ...addressData(nameServer) }]
    : [];
  if (name === domain) {
    if (type === "SOA") return say([soa(names, zone)]);
    if (type === "NS") return say([{ name, ttl: ttlSeconds, type: "NS", data: `ns.dns.${domain}` }], address);
    return say([]);
  }
  if (name === `dns.${domain}`) return say([]);
  if (name === `ns.dns.${domain}`) return say(address.filter((record) => record.type === type));
  if (name !== `dns-version.${domain}`) return undefined;
  return say(type === "TXT" ? [{ name, ttl: SCHEMA_TTL_SECONDS, type: "TXT", data: SCHEMA_VERSION }] : []);
}

/** An address that the cluster does not know is for other resolvers: the zones of addresses are not the cluster's own. */
function answerReverse({ name, type }: Question, names: ClusterNames, zone: Zone): Reply | undefined {
  const known = names.namesOf(name);
  if (known.length === 0) return undefined;
  if (type !== "PTR") return negative("NOERROR", names, zone);
  const answers = known.map((each): DnsRecord => {
    return { name, ttl: zone.ttlSeconds, type: "PTR", data: `${each}.svc.${zone.domain}` };
  });
  return { ...failure("NOERROR"), isAuthoritative: true, answers };
}

/** @param relative the name without the zone */
function find(relative: string, names: ClusterNames, zone: Zone): Found {
  const labels = relative.split(".").reverse();
  const [kind, namespace, name, ...rest] = labels;
  if ((kind !== "svc" && kind !== "pod") || (kind === "pod" && zone.pods === "disabled")) return "absent";
  if (namespace === undefined) return [];
  if (!names.hasNamespace(namespace)) return "absent";
  if (name === undefined) return [];
  if (kind === "pod") return rest.length === 0 ? findPod(name, `${relative}.${zone.domain}`) : "absent";
  const service = names.service(namespace, name);
  if (!service) return "absent";
  const domain = `${name}.${namespace}.svc.${zone.domain}`;
  if (rest.length === 0) return findService(service, names, domain, () => true);
  // `_udp` of a port that is there, without the port: a name between two that are.
  if (rest.length === 1) {
    const found = findEndpoints(service, names, domain, () => true, rest[0]);
    return found === "absent" && hasProtocol(service, rest[0]!) ? [] : found;
  }
  const [protocol, port] = rest.map((label) => label.replace(/^_/, ""));
  if (rest.length > 2) return "absent";
  return findService(
    service,
    names,
    domain,
    (each) => each.name.toLowerCase() === port && each.protocol.toLowerCase() === protocol,
  );
}

const hasProtocol = ({ spec }: Service, label: string): boolean =>
  (spec?.ports ?? []).some(({ name, protocol }) => name && `_${(protocol ?? "TCP").toLowerCase()}` === label);

/** Of any address whatever: nobody looks whether there is such a pod (`pods insecure`). */
function findPod(label: string, name: string): Found {
  const isIpv4 = /^\d+-\d+-\d+-\d+$/.test(label);
  const host = label.replaceAll("-", isIpv4 ? "." : ":");
  return parseIp(host) ? [{ host, isAddress: true, name }] : "absent";
}

type PortFilter = (port: NamedPort) => boolean;

function findService(service: Service, names: ClusterNames, domain: string, filter: PortFilter): Found {
  const { type, externalName, ports = [] } = service.spec ?? {};
  if (type === "ExternalName") {
    return externalName
      ? [{ host: externalName, isAddress: parseIp(externalName) !== undefined, name: domain }]
      : "absent";
  }
  const addresses = clusterIpsOf(service);
  if (addresses.length === 0) return findEndpoints(service, names, domain, filter);
  const named = ports.map((each) => ({ name: each.name ?? "", protocol: each.protocol ?? "TCP", port: each.port }));
  const matching = named.filter(filter);
  return matching.length === 0
    ? "absent"
    : matching.flatMap(({ port }) => addresses.map((host) => ({ host, isAddress: true, name: domain, port })));
}

/** @param label of one endpoint alone */
function findEndpoints(
  service: Service,
  names: ClusterNames,
  domain: string,
  filter: PortFilter,
  label?: string,
): Found {
  if (service.spec?.type === "ExternalName") return "absent";
  const targets: Target[] = [];
  for (const { ports, endpoints } of names.endpointsOf(`${service.metadata.namespace}/${service.metadata.name}`)) {
    const matching = ports.filter(filter);
    // A headless Service may have no ports at all.
    const numbers = ports.length === 0 && filter(ANY_PORT) ? [undefined] : matching.map(({ port }) => port);
    for (const endpoint of endpoints) {
      if (label !== undefined && endpoint.label.toLowerCase() !== label) continue;
      const target = { host: endpoint.address, isAddress: true, name: `${endpoint.label}.${domain}` };
      for (const port of numbers) targets.push(port === undefined ? target : { ...target, port });
    }
  }
  return targets.length === 0 ? "absent" : targets;
}

const ANY_PORT: NamedPort = { name: "", protocol: "", port: 0 };

const addressData = (host: string): { type: "A" | "AAAA"; data: string } => ({
  type: host.includes(":") ? "AAAA" : "A",
  data: host,
});

function recordsOf({ name, type }: Question, targets: Target[], { ttlSeconds: ttl }: Zone) {
  const none: { answers: DnsRecord[]; additionals: DnsRecord[] } = { answers: [], additionals: [] };
  if (type === "SRV") return srvRecordsOf(name, targets, ttl);
  const other = targets.find(({ isAddress }) => !isAddress);
  if (other && (type === "A" || type === "AAAA" || type === "CNAME")) {
    return { ...none, answers: [{ name, ttl, type: "CNAME" as const, data: other.host }] };
  }
  const hosts = [...new Set(targets.map(({ host }) => host))];
  const answers = hosts.map((host): DnsRecord => ({ name, ttl, ...addressData(host) }));
  return { ...none, answers: answers.filter((record) => record.type === type) };
}

/** Equal weights that make a hundred together. Each target's addresses go along. */
function srvRecordsOf(name: string, targets: Target[], ttl: number) {
  const byTarget = new Map<string, { port: number; target: string }>();
  const additionals = new Map<string, DnsRecord>();
  for (const target of targets) {
    if (target.port === undefined || !target.isAddress) continue;
    byTarget.set(`${target.name}:${target.port}`, { port: target.port, target: target.name });
    additionals.set(`${target.name}:${target.host}`, { name: target.name, ttl, ...addressData(target.host) });
  }
  const weight = Math.max(1, Math.floor(100 / byTarget.size));
  const answers = [...byTarget.values()].map((data): DnsRecord => {
    return { name, ttl, type: "SRV", data: { priority: 0, weight, ...data } };
  });
  return { answers, additionals: [...additionals.values()] };
}
