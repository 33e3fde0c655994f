import { join } from "node:path";
import { isReady } from "../../shared/api/conditions.ts";
import { printCidr, printIp } from "../../shared/api/ip.ts";
import type { Node } from "../../shared/api/types.ts";
import { OFFER_ANNOTATION } from "../../shared/api/wireguard-offer.ts";
import { ensureBridge, foreignCniConfig, removeIdleBridge, writeCniConfig } from "../cni/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { applyRuleset, runNft } from "../programs/index.ts";
import { decidePaths, keysInUseTwice, type Path } from "./decide-paths.ts";
import { forwarding } from "./forwarding.ts";
import { carryOut, loosenReversePath, readActual, readLinks } from "./kernel.ts";
import { renderTable } from "./masquerade.ts";
import { decideMtu } from "./mtu.ts";
import { overlayName, relayName, relayPorts, routeProtocol, tableName, wireGuardName } from "./names.ts";
import { asksForRelay, failingBefore, PATHS_ANNOTATION, renderPaths } from "./paths-annotation.ts";
import {
  isOwn,
  type Link,
  linkTo,
  type Peer,
  PUBLIC_ADDRESS_ANNOTATION,
  parseSeen,
  peerOf,
  printSeen,
} from "./peer.ts";
import { decideCommands, type Plan, renderPlan } from "./plan.ts";
import { Prober } from "./probe/index.ts";
import { Relay } from "./relay/index.ts";
import { apartBy } from "./site.ts";
import { setSysctls } from "./sysctl.ts";
import { Teller } from "./teller.ts";
import { decideEndpoints, ENDPOINT_ANNOTATION, renderOffer, renderWireGuard, WireGuard } from "./wireguard/index.ts";

const ETHERNET_MTU = 1500;

/** One node's part of the pod network: compares what shall be with what is, and takes the steps between. */
export class PodNetwork {
  readonly #context: NetworkContext;
  readonly #overlay: string;
  readonly #relayDevice: string;
  readonly #relay: Relay;
  readonly #prober: Prober;
  readonly #encrypted: string;
  readonly #wireguard: WireGuard;
  readonly #protocol: number;
  readonly #table: string;
  readonly #teller: Teller;
  /** What the last look was made from; the same again needs no steps. */
  #inputs = "";
  #rules = "";
  #foreign: string | undefined;
  #paths: Path[] | undefined;
  /** Of WireGuard, as others are told of it. */
  #offer: string | undefined;
  #isRemembered = false;
  #addresses: string | undefined;

  /** @param onChange told when ways to other nodes are found to fail, or to work: it is time to reconcile */
  constructor(context: NetworkContext, onChange: () => void) {
    const { instance, stateDir, clock, log, signal } = context;
    this.#context = context;
    this.#overlay = overlayName(instance);
    this.#relayDevice = relayName(instance);
    this.#relay = new Relay(context, relayPorts(instance), {
      probe: (from, bytes) => this.#prober.receiveByRelay(from, bytes),
      change: () => this.#relay.session.isOpen && this.#prober.relayOpened(),
    });
    this.#prober = new Prober({
      ...{ clock, signal },
      sendByRelay: (node, bytes) => this.#relay.sendProbe(node, bytes),
      onChange: () => {
        this.#relay.session.setNeeded(this.#prober.needsRelay);
        onChange();
      },
    });
    void this.#prober.run().catch((error: unknown) => {
      log("error", "the ways to other nodes are not tried any more", { error: String(error) });
    });
    this.#encrypted = wireGuardName(instance);
    this.#wireguard = new WireGuard({ name: this.#encrypted, stateDir, log });
    this.#protocol = routeProtocol(instance);
    this.#table = tableName(instance);
    this.#teller = new Teller(context);
  }

  /**
   * @param isFull whether the kernel is looked at although nothing is known to have changed
   * @throws Error with the words of what failed; the rest was done
   */
  async reconcile({ isFull }: { isFull: boolean }): Promise<void> {
    const { nodes, nodeName, cniConfigDir, log } = this.#context;
    const node = nodes.get(nodeName);
    const self = this.#self(node);
    if (self.podCidrs.length === 0) return;
    const peers = nodes
      .list()
      .map(peerOf)
      .filter(({ name }) => name !== nodeName);
    const clusterUid = this.#context.namespaces.get("kube-system")?.metadata?.uid;
    const endpoint = node?.metadata?.annotations?.[ENDPOINT_ANNOTATION];
    this.#remember(node);
    const found = { failing: this.#prober.failing, silent: this.#prober.silent };
    const others = this.#saidByOthers();
    const inputs = JSON.stringify(
      [self, peers, clusterUid, endpoint, ...listsOf(found), ...listsOf(others)],
      (_, value) => (typeof value === "bigint" ? String(value) : value),
    );
    if (!isFull && inputs === this.#inputs) return this.#tellPaths(node, self, this.#paths);
    this.#inputs = "";

    const foreign = await foreignCniConfig(cniConfigDir);
    if (foreign !== this.#foreign) {
      this.#foreign = foreign;
      if (foreign)
        log("warn", "another CNI configuration comes first: the pod network is left to it", { file: foreign });
      else log("info", "the pod network is ours again");
    }
    if (foreign !== undefined) {
      await this.#giveWay();
      this.#inputs = inputs;
      return this.#tellPaths(node, self, undefined);
    }
    const links = await readLinks((name) => this.#isOfPods(name));
    this.#noteAddresses(links);
    const isApart = peers.some((peer) => apartBy(self, peer) !== undefined);
    const end = isApart ? await this.#wireguard.ownEnd() : undefined;
    this.#offer = undefined;
    if (end) {
      self.wireguard =
        "without" in end ? end : { publicKey: end.publicKey, endpoints: decideEndpoints(self, end.port, endpoint) };
      this.#offer = renderOffer(self.wireguard);
    }
    const paths = decidePaths({ self, peers, links, failing: found.failing });
    /** Addresses of the Node that the machine has by now. */
    const here = { ...self, addresses: self.addresses.filter((address) => isOwn(links, address)) };
    await this.#apply({ self, here, peers, links, paths, clusterUid, port: end && "port" in end ? end.port : 0 });
    this.#inputs = inputs;
    if (clusterUid !== undefined) {
      await this.#prober.follow({ self: here, peers, paths, clusterUid, ...others });
      this.#relay.session.setNeeded(this.#prober.needsRelay);
    }
    await this.#tellPaths(node, self, paths);
    // Two that told theirs at once were both believed.
    if (end && "port" in end && keysInUseTwice([self, ...peers]).has(end.publicKey)) await this.#renewKey();
    await this.#teller.tellOfFirewall();
  }

  /** What was found before the agent was started anew holds until it is found otherwise. */
  #remember(node: Node | undefined): void {
    if (this.#isRemembered || !node) return;
    this.#isRemembered = true;
    this.#prober.remember(failingBefore(node.metadata?.annotations?.[PATHS_ANNOTATION] ?? ""));
  }

  #saidByOthers(): { ready: Set<string>; askedFor: Set<string> } {
    const { nodes, nodeName } = this.#context;
    const named = (is: (node: Node) => boolean | undefined) =>
      new Set(nodes.list().flatMap((node) => (is(node) && node.metadata?.name ? [node.metadata.name] : [])));
    return {
      ready: named(isReady),
      askedFor: named(({ metadata }) => asksForRelay(metadata?.annotations?.[PATHS_ANNOTATION] ?? "", nodeName)),
    };
  }

  /** What hangs on an address that has gone would notice it late. */
  #noteAddresses(links: Link[]): void {
    const addresses = links.flatMap((link) =>
      link.addresses.map(({ family, address }) => printIp({ family, value: address })),
    );
    const text = addresses.sort().join();
    if (this.#addresses !== undefined && text !== this.#addresses) {
      this.#context.tunnel.noteAddresses(new Set(["127.0.0.1", "::1", ...addresses]));
      this.#context.reportNode();
    }
    this.#addresses = text;
  }

  /** The ranges are told with the first look at the own Node, which need not be in the set of all yet. */
  #self(node: Node | undefined): Peer {
    const { nodeName, podCidrs, tunnel } = this.#context;
    const spec = { ...node?.spec, podCIDRs: podCidrs() } as NonNullable<Node["spec"]>;
    // What the Node tells of this agent's own doing may be old; without the control plane there is nothing newer.
    const { wireguard: _, publicAddress, isSeen, ...self } = peerOf({ metadata: { name: nodeName }, ...node, spec });
    if (tunnel.isConnected) return { ...self, isSeen: true, ...parseSeen(tunnel.seenAddress) };
    return { ...self, ...(isSeen && { isSeen }), ...(publicAddress && { publicAddress }) };
  }

  /** Bridges of pods, ours and others', are no way to a node. */
  #isOfPods = (name: string) =>
    name === this.#context.bridgeName || /^(veth|hearth[lvrw]?-|docker|br-|cni|flannel|cali|cilium|lxc)/.test(name);

  async #apply({
    self,
    here,
    peers,
    links,
    paths,
    clusterUid,
    port,
  }: {
    self: Peer;
    /** The same, with those addresses alone that the machine has. */
    here: Peer;
    peers: Peer[];
    links: Link[];
    paths: Path[];
    clusterUid: string | undefined;
    /** On which WireGuard listens. */
    port: number;
  }): Promise<void> {
    const { stateDir, bridgeName, instance, cniConfigDir, log } = this.#context;
    const own = here.addresses;
    const linkMtu = (own[0] && linkTo(links, own[0])?.mtu) ?? ETHERNET_MTU;
    // Over the relay as well: sooner or later it is a way again.
    const isEncapsulated = paths.some(({ kind }) => kind === "vxlan" || kind === "relayed");
    const isEncrypted = paths.some((path) => [path, ...(path.failing ?? [])].some(({ kind }) => kind === "wireguard"));
    const mtu = decideMtu(linkMtu, {
      ...(isEncapsulated && { vxlan: own[0]?.family ?? 4 }),
      wireguard: isEncrypted,
    });
    const podCidrs = self.podCidrs.map(printCidr);

    await setSysctls(stateDir, await forwarding(self, links));
    await ensureBridge({ name: bridgeName, podCidrs, mtu });
    const { kind } = await writeCniConfig(cniConfigDir, {
      podCidrs,
      bridgeName,
      mtu,
      instance,
      dataDir: join(stateDir, "cni"),
    });
    if (kind === "written") log("info", "the pod network is configured", { podCidrs, mtu });

    const wireguard = renderWireGuard({
      ...{ self, peers, paths, links },
      device: { name: this.#encrypted, mtu, listenPort: port },
    });
    await this.#wireguard.carryOut(wireguard.device);
    const plan = renderPlan({
      ...{ self: here, paths, clusterUid, encrypted: wireguard.routes },
      overlay: { name: this.#overlay, mtu },
      relay: { name: this.#relayDevice, mtu: linkMtu, ports: relayPorts(instance) },
    });
    if (clusterUid !== undefined) this.#relay.setNodes({ self, peers, clusterUid });
    await this.#relay.setOn(paths.some(({ kind }) => kind === "relayed"));
    await this.#carryOut(plan);
    await loosenReversePath(plan.overlays.map(({ name }) => name));
    await this.#setRules(
      renderTable({
        ...{ table: this.#table, self, peers, paths, bridgeName, overlays: plan.overlays },
        wireguard: {
          ...(wireguard.device && { name: wireguard.device.name }),
          nodeAddresses: wireguard.nodeAddresses,
        },
      }),
    );
    this.#paths = paths;
  }

  async #carryOut(plan: Plan): Promise<void> {
    const devices = { overlays: [this.#overlay, this.#relayDevice], protocol: this.#protocol };
    const commands = decideCommands(plan, await readActual(devices), devices);
    const steps = Object.values(commands).flat();
    if (steps.length === 0) return;
    this.#context.log("info", "the ways to the other nodes change", { steps: steps.slice(0, 50), count: steps.length });
    await carryOut(commands);
  }

  /** As one transaction; what nobody has touched is left alone. */
  async #setRules(rules: string): Promise<void> {
    if (rules === this.#rules && (await this.#hasTable())) return;
    await applyRuleset(rules);
    this.#rules = rules;
  }

  #hasTable = () =>
    runNft(["list", "chain", "inet", this.#table, "postrouting"]).then(
      (text) => text.includes("masquerade"),
      () => false,
    );

  /** Takes back what is ours, but the bridge while pods hang on it. */
  async #giveWay(): Promise<void> {
    const { bridgeName } = this.#context;
    if (await this.#hasTable()) await runNft(["delete", "table", "inet", this.#table]);
    this.#rules = "";
    await this.#prober.clear();
    this.#relay.session.setNeeded(false);
    await this.#relay.setOn(false);
    await this.#carryOut({ routes: [], overlays: [] });
    await this.#wireguard.carryOut(undefined);
    this.#offer = undefined;
    this.#paths = undefined;
    await removeIdleBridge(bridgeName);
  }

  async #tellPaths(node: Node | undefined, self: Peer, paths: Path[] | undefined): Promise<void> {
    const { isKeyTaken } = await this.#teller.tellPaths(node, {
      [PATHS_ANNOTATION]: paths && renderPaths(paths, this.#prober.silent),
      [PUBLIC_ADDRESS_ANNOTATION]: printSeen(self),
      [OFFER_ANNOTATION]: this.#offer,
    });
    if (isKeyTaken) await this.#renewKey();
  }

  async #renewKey(): Promise<void> {
    this.#context.log("warn", "another node has this one's WireGuard key, as if a disk was copied: a new one is made");
    await this.#wireguard.forgetKey();
  }
}

const listsOf = (sets: Record<string, ReadonlySet<string>>) => Object.values(sets).map((set) => [...set].sort());
