import { parseCidr, printCidr, rangeContains } from "../../shared/api/ip.ts";
import type { LabelSelectorObject } from "../../shared/api/selector.ts";
import type { NetworkPolicy } from "../../shared/api/types.ts";
import { isProtocol, type Protocol } from "./pod-facts.ts";

export const DIRECTIONS = ["ingress", "egress"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A policy as the engine takes it: defaults filled in, what cannot be meant left out. */
export interface Policy {
  namespace: string;
  name: string;
  podSelector: LabelSelectorObject;
  /** Undefined: pods are not isolated in that direction. An empty list lets nothing through. */
  ingress?: PolicyRule[];
  egress?: PolicyRule[];
}

/** What a rule lets through: any of its peers, on any of its ports. Undefined: all. */
export interface PolicyRule {
  peers?: Peer[];
  ports?: Port[];
}

export type Peer = { kind: "pods"; pods: PodPeer } | { kind: "block"; block: Block };

/** Pods of one namespace, or of those that a selector takes. */
export interface PodPeer {
  namespace: string | { selector: LabelSelectorObject };
  /** Undefined: all pods. */
  podSelector?: LabelSelectorObject;
}

export interface Block {
  family: 4 | 6;
  cidr: string;
  /** Disjoint, of the same family. */
  except: string[];
}

/** A port's numbers, or its name; neither: all ports of the protocol. */
export interface Port {
  protocol: Protocol;
  range?: readonly [from: number, to: number];
  name?: string;
}

type ApiRule = {
  from?: ApiPeer[];
  to?: ApiPeer[];
  ports?: { port?: number | string; endPort?: number; protocol?: string }[];
};
type ApiPeer = {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: LabelSelectorObject;
  podSelector?: LabelSelectorObject;
};

/** The policy types of an object that was written without: Ingress always, Egress if it has rules for it. */
export function readPolicy({ metadata, spec }: Pick<NetworkPolicy, "metadata" | "spec">): Policy {
  const namespace = metadata.namespace ?? "default";
  const types = spec.policyTypes?.length
    ? spec.policyTypes
    : ["Ingress", ...((spec.egress ?? []).length > 0 ? ["Egress"] : [])];
  const read = (rules: ApiRule[] | undefined) => (rules ?? []).map((rule) => readRule(rule, namespace));
  return {
    namespace,
    name: metadata.name ?? "",
    podSelector: (spec.podSelector ?? {}) as LabelSelectorObject,
    ...(types.includes("Ingress") && { ingress: read(spec.ingress as ApiRule[] | undefined) }),
    ...(types.includes("Egress") && { egress: read(spec.egress as ApiRule[] | undefined) }),
  };
}

/** An empty list of peers or ports is the same as none: all. One whose items all cannot be met meets nothing. */
function readRule({ from, to, ports = [] }: ApiRule, namespace: string): PolicyRule {
  const peers = [...(from ?? []), ...(to ?? [])];
  return {
    ...(peers.length > 0 && { peers: peers.flatMap((peer) => readPeer(peer, namespace)) }),
    ...(ports.length > 0 && { ports: ports.flatMap(readPort) }),
  };
}

function readPeer({ ipBlock, namespaceSelector, podSelector }: ApiPeer, namespace: string): Peer[] {
  if (ipBlock) return readBlock(ipBlock);
  if (!namespaceSelector && !podSelector) return [];
  const pods: PodPeer = {
    namespace: namespaceSelector ? { selector: namespaceSelector } : namespace,
    ...(podSelector && { podSelector }),
  };
  return [{ kind: "pods", pods }];
}

function readBlock({ cidr, except = [] }: { cidr: string; except?: string[] }): Peer[] {
  const range = parseCidr(cidr);
  if (!range) return [];
  const holes = except.flatMap((text) => parseCidr(text) ?? []).filter(({ family }) => family === range.family);
  // A set of intervals takes none that lies in another.
  const outer = holes
    .sort((a, b) => a.prefixLength - b.prefixLength)
    .filter((hole, index, all) => {
      const address = { family: hole.family, value: hole.first, mapped: false };
      return !all.slice(0, index).some((wider) => rangeContains(wider, address));
    });
  return [
    { kind: "block", block: { family: range.family, cidr: printCidr(range), except: outer.map(printCidr).sort() } },
  ];
}

function readPort({
  port,
  endPort,
  protocol = "TCP",
}: {
  port?: number | string;
  endPort?: number;
  protocol?: string;
}): Port[] {
  if (!isProtocol(protocol)) return [];
  if (port === undefined) return [{ protocol }];
  if (typeof port === "string") return [{ protocol, name: port }];
  return [{ protocol, range: [port, endPort ?? port] }];
}
