import { parseCidr, printCidr } from "../../shared/api/ip.ts";
import { matchesLabelSelector } from "../../shared/api/selector.ts";
import type { Address, Labels, PodFacts } from "./pod-facts.ts";
import { DIRECTIONS, type Direction, type Policy } from "./policy.ts";
import {
  decidePolicyChain,
  hashOf,
  means,
  meansNamespace,
  policyChainName,
  type Source,
  setName,
} from "./policy-chain.ts";
import { BASE_SETS, ownRanges, selfSet, verdictMap } from "./render.ts";
import { type Change, type Ruleset, RulesetDraft, type SetType } from "./ruleset.ts";

const FAMILIES = [4, 6] as const;

interface UsedSource {
  source: Source;
  /** Chains that look into it. */
  users: number;
}

interface Profile {
  /** Addresses that lead there. */
  users: number;
}

/**
 * From the cluster's policies, namespaces and pods to this node's ruleset, by what changes: each setter brings the ruleset
 * to where it would be had everything been told anew. Does no I/O.
 *
 * An address that several pods claim, since one of them is not known to be gone yet, has only the rights that all of them
 * have, and is isolated by the policies of each.
 */
export class PolicyEngine {
  readonly #draft = new RulesetDraft();
  readonly #namespaces = new Map<string, Labels>();
  readonly #pods = new Map<string, PodFacts>();
  readonly #podsByNamespace = new Map<string, Set<PodFacts>>();
  readonly #claims = new Map<string, { address: Address; pods: Set<PodFacts> }>();
  readonly #policies = new Map<string, Policy>();
  readonly #policiesByNamespace = new Map<string, Map<string, Policy>>();
  readonly #sources = new Map<string, UsedSource>();
  readonly #sourcesByChain = new Map<string, string[]>();
  /** Chains of pods, by name: one for each set of policies that selects some pod. */
  readonly #profiles = new Map<string, Profile>();
  /** The profiles that local addresses lead to. */
  readonly #profileOf = new Map<string, string>();

  constructor() {
    for (const [name, type] of BASE_SETS) this.#draft.putSet(name, type);
  }

  get ruleset(): Ruleset {
    return this.#draft.ruleset;
  }

  /** Whether there may be something to take. */
  get isTouched(): boolean {
    return this.#draft.isTouched;
  }

  /** What has changed since the last call. */
  take(): Change {
    return this.#draft.take();
  }

  /** Whether any policy selects the pod. */
  isSelected(pod: Pick<PodFacts, "namespace" | "labels">): boolean {
    return DIRECTIONS.some((direction) => this.#selecting(pod, direction).length > 0);
  }

  /** This node's ranges: an address of theirs that no pod is known for is let nowhere. */
  setOwnRanges(cidrs: readonly string[]): void {
    const ranges = cidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
    for (const family of FAMILIES) {
      const name = ownRanges(family);
      const wanted = new Set(ranges.filter((range) => range.family === family).map(printCidr));
      for (const old of [...this.ruleset.sets.get(name)!.elements.keys()]) {
        if (!wanted.has(old)) this.#draft.setElement(name, old, undefined);
      }
      for (const cidr of wanted) this.#draft.setElement(name, cidr, "");
    }
  }

  /** @param labels undefined: there is no such namespace */
  setNamespace(name: string, labels: Labels | undefined): void {
    if (labels) this.#namespaces.set(name, labels);
    else this.#namespaces.delete(name);
    for (const pod of this.#podsByNamespace.get(name) ?? []) {
      for (const { text } of pod.addresses) this.#refreshMembership(text);
    }
  }

  /** @param key of the pod; undefined facts: it is gone */
  setPod(key: string, facts: PodFacts | undefined): void {
    const before = this.#pods.get(key);
    if (before) {
      const siblings = this.#podsByNamespace.get(before.namespace);
      siblings?.delete(before);
      if (siblings?.size === 0) this.#podsByNamespace.delete(before.namespace);
      for (const { text } of before.addresses) this.#claims.get(text)?.pods.delete(before);
      this.#pods.delete(key);
    }
    if (facts) {
      this.#pods.set(key, facts);
      entry(this.#podsByNamespace, facts.namespace, () => new Set<PodFacts>()).add(facts);
      for (const address of facts.addresses) {
        entry(this.#claims, address.text, () => ({ address, pods: new Set<PodFacts>() })).pods.add(facts);
      }
    }
    const texts = new Set([...(before?.addresses ?? []), ...(facts?.addresses ?? [])].map(({ text }) => text));
    const oldPorts = before ?? facts;
    for (const text of texts) {
      this.#refreshMembership(text, oldPorts);
      this.#refreshVerdicts(text);
      if (this.#claims.get(text)?.pods.size === 0) this.#claims.delete(text);
    }
  }

  setPolicy(key: string, policy: Policy | undefined): void {
    const before = this.#policies.get(key);
    if (!before && !policy) return;
    if (before) {
      this.#policies.delete(key);
      this.#policiesByNamespace.get(before.namespace)?.delete(key);
    }
    if (policy) {
      this.#policies.set(key, policy);
      entry(this.#policiesByNamespace, policy.namespace, () => new Map<string, Policy>()).set(key, policy);
    }
    const { namespace } = (policy ?? before) as Policy;
    for (const direction of DIRECTIONS) this.#putPolicyChain(direction, before, policy);
    for (const pod of this.#podsByNamespace.get(namespace) ?? []) {
      if (pod.isLocal) for (const { text } of pod.addresses) this.#refreshVerdicts(text);
    }
  }

  #putPolicyChain(direction: Direction, before: Policy | undefined, policy: Policy | undefined): void {
    const name = policyChainName(direction, (policy ?? before) as Policy);
    const rules = policy?.[direction];
    const chain = rules ? decidePolicyChain(rules) : undefined;
    const old = this.#sourcesByChain.get(name) ?? [];
    for (const [source, what] of chain?.sources ?? []) this.#acquire(source, what);
    if (chain) {
      this.#draft.putChain(name, { direction, rules: chain.rules });
      this.#sourcesByChain.set(name, [...chain.sources.keys()]);
    } else {
      this.#draft.dropChain(name);
      this.#sourcesByChain.delete(name);
    }
    for (const source of old) this.#release(source);
  }

  readonly #labelsOf = (namespace: string): Labels | undefined => this.#namespaces.get(namespace);

  #acquire(name: string, source: Source): void {
    const used = this.#sources.get(name);
    if (used) {
      used.users++;
      return;
    }
    this.#sources.set(name, { source, users: 1 });
    for (const family of FAMILIES) this.#draft.putSet(setName(name, family), typeOf(source, family));
    for (const [namespace, members] of this.#podsByNamespace) {
      if (source.kind === "peer" && !meansNamespace(source.pods, namespace, this.#labelsOf)) continue;
      for (const { addresses } of members) {
        for (const { text } of addresses) {
          const { address, pods } = this.#claims.get(text)!;
          this.#refreshSource(name, source, address, pods, undefined);
        }
      }
    }
  }

  #release(name: string): void {
    const used = this.#sources.get(name);
    if (!used || --used.users > 0) return;
    this.#sources.delete(name);
    for (const family of FAMILIES) this.#draft.dropSet(setName(name, family));
  }

  /** @param before what had the address until now: its ports are no longer meant */
  #refreshMembership(text: string, before?: PodFacts): void {
    const claim = this.#claims.get(text);
    if (!claim) return;
    for (const [name, { source }] of this.#sources)
      this.#refreshSource(name, source, claim.address, claim.pods, before);
  }

  #refreshSource(
    name: string,
    source: Source,
    { family, text }: Address,
    pods: ReadonlySet<PodFacts>,
    before: PodFacts | undefined,
  ): void {
    const set = setName(name, family);
    if (source.kind === "peer") {
      const isMeant = pods.size > 0 && [...pods].every((pod) => means(source.pods, pod, this.#labelsOf));
      this.#draft.setElement(set, text, isMeant ? "" : undefined);
      return;
    }
    const numbers = (pod: PodFacts) =>
      pod.namedPorts
        .filter((each) => each.protocol === source.protocol && each.name === source.name)
        .map(({ port }) => port);
    const candidates = new Set([...pods, ...(before ? [before] : [])].flatMap(numbers));
    for (const port of candidates) {
      const isMeant = pods.size > 0 && [...pods].every((pod) => numbers(pod).includes(port));
      const element = `${text} . ${source.protocol.toLowerCase()} . ${port}`;
      this.#draft.setElement(set, element, isMeant ? "" : undefined);
    }
  }

  /** Where packets from and to one of the node's addresses are judged. */
  #refreshVerdicts(text: string): void {
    const claim = this.#claims.get(text);
    const local = [...(claim?.pods ?? [])].filter(({ isLocal }) => isLocal);
    const family = claim?.address.family ?? (text.includes(":") ? 6 : 4);
    this.#draft.setElement(selfSet(family), `${text} . ${text}`, local.length > 0 ? "" : undefined);
    for (const direction of DIRECTIONS) {
      const keys = [...new Set(local.flatMap((pod) => this.#selecting(pod, direction)))].sort();
      const profile = keys.length > 0 ? this.#enterProfile(direction, keys) : undefined;
      const verdict = profile ? `goto ${profile}` : local.length > 0 ? "accept" : undefined;
      this.#draft.setElement(verdictMap(direction, family), text, verdict);
      const at = `${direction} ${text}`;
      const old = this.#profileOf.get(at);
      if (profile) this.#profileOf.set(at, profile);
      else this.#profileOf.delete(at);
      if (old) this.#leaveProfile(old);
    }
  }

  #selecting(pod: Pick<PodFacts, "namespace" | "labels">, direction: Direction): string[] {
    const policies = this.#policiesByNamespace.get(pod.namespace) ?? new Map<string, Policy>();
    return [...policies]
      .filter(([, policy]) => policy[direction] && matchesLabelSelector(policy.podSelector, pod.labels))
      .map(([key]) => key);
  }

  #enterProfile(direction: Direction, keys: readonly string[]): string {
    const name = `pod-${direction}-${hashOf(keys.join())}`;
    const profile = entry(this.#profiles, name, () => {
      const jumps = keys.map((key) => policyChainName(direction, this.#policies.get(key)!));
      const rules = jumps.map((chain) => ({ verdict: "jump" as const, chain }));
      this.#draft.putChain(name, { direction, rules: [...rules, { verdict: "drop" }] });
      return { users: 0 };
    });
    profile.users++;
    return name;
  }

  #leaveProfile(name: string): void {
    const profile = this.#profiles.get(name)!;
    if (--profile.users > 0) return;
    this.#profiles.delete(name);
    this.#draft.dropChain(name);
  }
}

const typeOf = (source: Source, family: 4 | 6): SetType => ({
  key: source.kind === "peer" ? "address" : "endpoint",
  family,
});

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const made = make();
  map.set(key, made);
  return made;
}
