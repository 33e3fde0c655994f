import { createHash } from "node:crypto";
import { isEmptySelector, type LabelSelectorObject, matchesLabelSelector } from "../../shared/api/selector.ts";
import type { Labels, PodFacts, Protocol } from "./pod-facts.ts";
import type { Direction, Peer, PodPeer, Policy, PolicyRule, Port } from "./policy.ts";
import type { PeerMatch, PortMatch, Rule } from "./ruleset.ts";

/** What a set of addresses or endpoints is made of: sets are shared by all rules that mean the same. */
export type Source = { kind: "peer"; pods: PodPeer } | { kind: "port"; protocol: Protocol; name: string };

export interface PolicyChain {
  rules: Rule[];
  /** The sets that the rules look into, by their name without the family; each exists for both. */
  sources: Map<string, Source>;
}

const FAMILIES = [4, 6] as const;
const HASH_CHARACTERS = 12;

export const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARACTERS);

/** Names of chains may be long, but not as long as two names of Kubernetes. */
export function policyChainName(direction: Direction, { namespace, name }: Policy): string {
  const readable = `${namespace}/${name}`.replaceAll(/[^a-z0-9./-]/g, "_").slice(0, 80);
  return `policy-${direction}-${hashOf(`${namespace}/${name}`)}/${readable}`;
}

/** The rules of one policy in one direction; whoever jumps there drops what comes back. */
export function decidePolicyChain(rules: readonly PolicyRule[]): PolicyChain {
  const sources = new Map<string, Source>();
  const use = (source: Source): string => {
    const name = sourceName(source);
    sources.set(name, source);
    return name;
  };
  const chain = rules.flatMap(({ peers, ports }) => {
    const peerMatches = peers ? peers.flatMap((peer) => matchPeer(peer, use)) : [undefined];
    const portMatches = ports ? matchPorts(ports, use) : [undefined];
    return peerMatches.flatMap((peer) =>
      portMatches
        .filter((port) => !peer || !port || !("set" in port) || port.family === peer.family)
        .map((port): Rule => ({ verdict: "accept", ...(peer && { peer }), ...(port && { port }) })),
    );
  });
  return { rules: chain, sources };
}

export const setName = (source: string, family: 4 | 6) => `${source}-${family}`;

function sourceName(source: Source): string {
  if (source.kind === "port") return `port-${source.protocol.toLowerCase()}-${hashOf(source.name)}`;
  const { namespace, podSelector } = source.pods;
  const where = typeof namespace === "string" ? namespace : canonical(namespace.selector);
  return `pods-${hashOf(JSON.stringify([where, canonical(podSelector)]))}`;
}

/** Two selectors that were written in another order are one. */
const canonical = (selector: LabelSelectorObject | undefined) =>
  isEmptySelector(selector)
    ? {}
    : {
        labels: Object.entries(selector?.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
        expressions: (selector?.matchExpressions ?? [])
          .map(({ key, operator, values = [] }) => JSON.stringify([key, operator, [...values].sort()]))
          .sort(),
      };

function matchPeer(peer: Peer, use: (source: Source) => string): PeerMatch[] {
  if (peer.kind === "block") {
    const { family, cidr, except } = peer.block;
    return [{ family, cidr, except }];
  }
  const name = use({ kind: "peer", pods: peer.pods });
  return FAMILIES.map((family) => ({ family, set: setName(name, family) }));
}

/** Numbers of one protocol become one match. */
function matchPorts(ports: readonly Port[], use: (source: Source) => string): PortMatch[] {
  const matches: PortMatch[] = [];
  const ranges = new Map<Protocol, (readonly [number, number])[]>();
  for (const { protocol, range, name } of ports) {
    if (range) ranges.set(protocol, [...(ranges.get(protocol) ?? []), range]);
    else if (name === undefined) matches.push({ protocol });
    else {
      const set = use({ kind: "port", protocol, name });
      matches.push(...FAMILIES.map((family) => ({ family, set: setName(set, family) })));
    }
  }
  for (const [protocol, list] of ranges) matches.push({ protocol, ranges: mergeRanges(list) });
  return matches;
}

/** Disjoint and in order: nft refuses a set with ranges that overlap. */
export function mergeRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

type LabelsOf = (namespace: string) => Labels | undefined;

/** @param labelsOf a namespace's labels; undefined if it is not known */
export function means(peer: PodPeer, pod: PodFacts, labelsOf: LabelsOf): boolean {
  if (peer.podSelector && !matchesLabelSelector(peer.podSelector, pod.labels)) return false;
  return meansNamespace(peer, pod.namespace, labelsOf);
}

/** Whether pods of a namespace may be meant. Of one that is not known only by a selector that takes all. */
export function meansNamespace(peer: PodPeer, name: string, labelsOf: LabelsOf): boolean {
  if (typeof peer.namespace === "string") return name === peer.namespace;
  const labels = labelsOf(name);
  return labels ? matchesLabelSelector(peer.namespace.selector, labels) : isEmptySelector(peer.namespace.selector);
}
