import { ownRanges, selfSet, verdictMap } from "../../agent/netpol/render.ts";
import type { Rule, Ruleset } from "../../agent/netpol/ruleset.ts";
import { parseCidr, parseIp, rangeContains } from "../../shared/api/ip.ts";

/** The first packet of a connection. */
export interface Packet {
  from: string;
  to: string;
  protocol: string;
  port: number;
}

/** What the kernel does with a packet that passes a node with these rules: the hooks of `render.ts`, walked by hand. */
export function passes(ruleset: Ruleset, packet: Packet): boolean {
  const family = packet.from.includes(":") ? 6 : 4;
  const elements = (name: string) => ruleset.sets.get(name)!.elements;
  if (elements(selfSet(family)).has(`${packet.from} . ${packet.to}`)) return true;
  return (["egress", "ingress"] as const).every((direction) => {
    const own = direction === "egress" ? packet.from : packet.to;
    const verdict = elements(verdictMap(direction, family)).get(own);
    if (verdict === "accept") return true;
    if (verdict !== undefined) return walk(verdict.replace("goto ", "")) === true;
    return ![...elements(ownRanges(family)).keys()].some((cidr) => within(cidr, own));

    /** Undefined: the chain says nothing. */
    function walk(chain: string): boolean | undefined {
      for (const rule of ruleset.chains.get(chain)!.rules) {
        if (rule.verdict === "drop") return false;
        if (rule.verdict === "accept" && matches(rule)) return true;
        const said = rule.verdict === "jump" ? walk(rule.chain) : undefined;
        if (said !== undefined) return said;
      }
      return undefined;
    }

    function matches({ peer, port }: Rule & { verdict: "accept" }): boolean {
      const other = direction === "egress" ? packet.to : packet.from;
      if (peer && peer.family !== family) return false;
      if (peer && "set" in peer && !elements(peer.set).has(other)) return false;
      if (peer && "cidr" in peer && (!within(peer.cidr, other) || peer.except.some((hole) => within(hole, other))))
        return false;
      if (!port) return true;
      if ("set" in port) {
        return (
          port.family === family &&
          elements(port.set).has(`${packet.to} . ${packet.protocol.toLowerCase()} . ${packet.port}`)
        );
      }
      if (port.protocol !== packet.protocol) return false;
      return port.ranges?.some(([from, to]) => from <= packet.port && packet.port <= to) ?? true;
    }
  });
}

const within = (cidr: string, address: string) => rangeContains(parseCidr(cidr)!, parseIp(address)!);
