import { answer } from "./answer.ts";
import { type ClusterNames, reverseNameOf } from "./cluster-names.ts";
import type { Corefile, Forward, Hosts, Rewrite, Server, ServerBlock } from "./corefile.ts";
import type { Forwarder } from "./forwarder.ts";
import { encodeReply, type Query } from "./message.ts";
import { addressesIn, renderAnswer } from "./raw-answer.ts";
import { type DnsRecord, failure, isInZone, type Reply } from "./record.ts";

/** Names that lead to names: more is somebody's circle. */
const MAX_CHASES = 8;
const EDNS_VERSION = 0;

export interface ResolverDeps {
  names: ClusterNames;
  clusterDomain: string;
  nameServer(): string | undefined;
  corefile(): Corefile;
  forwarder: Forwarder;
  /** The node's own, without those that lead back to us. */
  nodeServers(): Server[];
  random(): number;
}

type Outcome = { reply: Reply } | { render(query: Query, limit: number): Buffer; records: DnsRecord[] };

/**
 * Answers a question in bytes: from the cluster, from the hosts that were configured, or as other servers answer it.
 * @returns at once what the cluster knows
 */
export function resolve(query: Query, limit: number, deps: ResolverDeps): Buffer | Promise<Buffer> {
  const finish = (outcome: Outcome): Buffer =>
    "render" in outcome ? outcome.render(query, limit) : encodeReply(query, shuffled(outcome.reply, deps), limit);
  if ((query.edns?.version ?? 0) > EDNS_VERSION) return finish({ reply: failure("BADVERS") });
  if (query.class !== "IN") return finish({ reply: failure("REFUSED") });
  const outcome = lookUp(query, deps, 0);
  return outcome instanceof Promise ? outcome.then(finish) : finish(outcome);
}

function lookUp(query: Query, deps: ResolverDeps, depth: number): Outcome | Promise<Outcome> {
  const block = blockFor(query.name, deps.corefile().blocks);
  if (!block) return { reply: failure("REFUSED") };
  for (const rewrite of block.rewrites) {
    const name = rewritten(query.name, rewrite);
    // Once: the name that it leads to is looked up where it belongs.
    if (name !== undefined && name !== query.name) return lookUpRewritten(query, name, deps, depth);
  }
  return lookUpIn(block, query, deps, depth);
}

function lookUpIn(block: ServerBlock, query: Query, deps: ResolverDeps, depth: number): Outcome | Promise<Outcome> {
  const hosted = block.hosts && answerHosts(query, block.hosts);
  if (hosted) return { reply: hosted };
  if (block.kubernetes) {
    const nameServer = deps.nameServer();
    const zone = { domain: deps.clusterDomain, ...block.kubernetes, ...(nameServer !== undefined && { nameServer }) };
    const known = answer(query, deps.names, zone);
    if (known) return chase(query, known, deps, depth);
  }
  const forward = block.forwards
    .filter(({ zone, except }) => isInZone(query.name, zone) && !except.some((each) => isInZone(query.name, each)))
    .reduce<Forward | undefined>(
      (best, each) => (best && best.zone.length >= each.zone.length ? best : each),
      undefined,
    );
  return forward ? forwardTo(forward, query, block, deps) : { reply: failure("REFUSED") };
}

/** The block of the longest zone that has the name. */
function blockFor(name: string, blocks: readonly ServerBlock[]): ServerBlock | undefined {
  let best: { block: ServerBlock; length: number } | undefined;
  for (const block of blocks) {
    for (const zone of block.zones) {
      if (isInZone(name, zone) && (!best || zone.length > best.length)) best = { block, length: zone.length };
    }
  }
  return best?.block;
}

async function forwardTo(
  forward: Forward,
  query: Query,
  { cacheSeconds }: ServerBlock,
  { forwarder, nodeServers }: ResolverDeps,
): Promise<Outcome> {
  const servers = forward.servers === "node" ? nodeServers() : forward.servers;
  const forwarded = servers.length === 0 ? "SERVFAIL" : await forwarder.ask(query, servers, cacheSeconds);
  if (typeof forwarded === "string") return { reply: failure(forwarded) };
  const { answer: raw, maxTtlSeconds, agedSeconds } = forwarded;
  return {
    render: (asked, limit) => renderAnswer(asked, raw, { maxTtlSeconds, agedSeconds, limit }),
    get records() {
      return addressesIn(raw.bytes);
    },
  };
}

/** A Service that is another's name is answered with what that name has, too. */
function chase(query: Query, reply: Reply, deps: ResolverDeps, depth: number): Outcome | Promise<Outcome> {
  const last = reply.answers.at(-1);
  if (last?.type !== "CNAME" || query.type === "CNAME" || depth >= MAX_CHASES) return { reply };
  const name = last.data.toLowerCase().replace(/\.$/, "");
  const found = lookUp({ ...query, name, rawQuestion: rawQuestion(name, query) }, deps, depth + 1);
  const join = (outcome: Outcome): Outcome => {
    const records = "render" in outcome ? outcome.records : outcome.reply.answers;
    return { reply: { ...reply, answers: [...reply.answers, ...records] } };
  };
  return found instanceof Promise ? found.then(join) : join(found);
}

async function lookUpRewritten(query: Query, name: string, deps: ResolverDeps, depth: number): Promise<Outcome> {
  const block = blockFor(name, deps.corefile().blocks);
  if (!block || depth >= MAX_CHASES) return { reply: failure("REFUSED") };
  const outcome = await lookUpIn(block, { ...query, name, rawQuestion: rawQuestion(name, query) }, deps, depth + 1);
  // The asker is told of the name that it asked for.
  const renamed = (record: DnsRecord): DnsRecord =>
    record.name.toLowerCase() === name ? { ...record, name: query.name } : record;
  const reply = "render" in outcome ? { ...failure("NOERROR"), answers: outcome.records } : outcome.reply;
  return { reply: { ...reply, answers: reply.answers.map(renamed) } };
}

function rewritten(name: string, { match, from, to }: Rewrite): string | undefined {
  if (match === "exact") return name === from ? to : undefined;
  if (match === "prefix") return name.startsWith(from) ? `${to}${name.slice(from.length)}` : undefined;
  return name.endsWith(from) ? `${name.slice(0, name.length - from.length)}${to}` : undefined;
}

/** A question for a name of our own making: the asked type and class. */
function rawQuestion(name: string, { rawQuestion: asked }: Query): Buffer {
  const labels = name.split(".").flatMap((label) => {
    const bytes = Buffer.from(label);
    return bytes.length > 63 ? [] : [Buffer.from([bytes.length]), bytes];
  });
  return Buffer.concat([...labels, Buffer.from([0]), asked.subarray(-4)]);
}

function answerHosts({ name, type }: Query, { addresses, ttlSeconds: ttl, fallsThrough }: Hosts): Reply | undefined {
  const say = (answers: DnsRecord[]): Reply => ({ ...failure("NOERROR"), isAuthoritative: true, answers });
  const own = addresses.get(name);
  if (own) {
    const records = own.map((data): DnsRecord => ({ name, ttl, type: data.includes(":") ? "AAAA" : "A", data }));
    return say(records.filter((record) => record.type === type));
  }
  if (type === "PTR") {
    const of = [...addresses].filter(([, list]) => list.some((address) => reverseNameOf(address) === name));
    if (of.length > 0) return say(of.map(([data]): DnsRecord => ({ name, ttl, type: "PTR", data })));
  }
  return fallsThrough ? undefined : failure("SERVFAIL");
}

/** Addresses in an order that is another each time, after the names that lead to them. */
function shuffled(reply: Reply, { random }: ResolverDeps): Reply {
  const isAddress = ({ type }: DnsRecord) => type === "A" || type === "AAAA";
  const addresses = reply.answers.filter(isAddress);
  if (addresses.length < 2) return reply;
  for (let at = addresses.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [addresses[at], addresses[other]] = [addresses[other]!, addresses[at]!];
  }
  return { ...reply, answers: [...reply.answers.filter((record) => !isAddress(record)), ...addresses] };
}
