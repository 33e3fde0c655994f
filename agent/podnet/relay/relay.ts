import { type IpRange, rangeContains } from "../../../shared/api/ip.ts";
import { addressesOf, type Datagram, MAX_PACKET_BYTES } from "../../../shared/relay/index.ts";
import type { Log } from "../../log/index.ts";
import type { NetworkContext } from "../../network/index.ts";
import { type RelayPorts, vxlanId, vxlanMac } from "../names.ts";
import type { Peer } from "../peer.ts";
import { unwrap, wrap } from "./frame.ts";
import { type KernelPort, openKernelPort } from "./kernel-port.ts";
import { RelaySession } from "./relay-session.ts";

export interface RelayNodes {
  self: Peer;
  peers: readonly Peer[];
  clusterUid: string;
}

/**
 * The node's end of the relay: takes packets that the kernel has for peers without a way, and gives it those that come
 * from them. Both are checked against the ranges of the nodes, as the control plane does: what a node sends is its pods'.
 */
export class Relay {
  readonly session: RelaySession;
  readonly #ports: RelayPorts;
  readonly #log: Log;
  #port: KernelPort | undefined;
  #nodes: RelayNodes | undefined;
  #peers = new Map<string, { peer: Peer; mac: string }>();
  #namesByMac = new Map<string, string>();
  /** Of the device here. */
  #device = { id: 0, to: "" };
  #isOn = false;
  #isBroken = false;

  /** @param on.probe of another agent; `on.change`: the relay can be sent with, or not any more */
  constructor(
    context: NetworkContext,
    ports: RelayPorts,
    on: { probe(from: string, bytes: Uint8Array): void; change(): void },
  ) {
    const { tunnel, clock, log, signal } = context;
    this.#ports = ports;
    this.#log = log;
    this.session = new RelaySession({
      ...{ tunnel, clock, log, signal },
      onChange: () => on.change(),
      onDatagram: (datagram) => {
        if (datagram.kind === "probe") on.probe(datagram.node, datagram.bytes);
        else this.#deliver(datagram);
      },
    });
    signal.addEventListener("abort", () => this.#port?.close());
    void this.session.run();
  }

  setNodes(nodes: RelayNodes): void {
    this.#nodes = nodes;
    this.#device = { id: vxlanId(nodes.clusterUid), to: vxlanMac(nodes.clusterUid, nodes.self.name) };
    this.#peers = new Map(
      nodes.peers.map((peer) => [peer.name, { peer, mac: vxlanMac(nodes.clusterUid, peer.name) }] as const),
    );
    this.#namesByMac = new Map([...this.#peers].map(([name, { mac }]) => [mac, name]));
  }

  /** Takes the kernel's packets from the first time that it is needed on. Another program may have the ports. */
  async setOn(isOn: boolean): Promise<void> {
    this.#isOn = isOn;
    if (!isOn || this.#port) return;
    try {
      this.#port = await openKernelPort(this.#ports, (frame) => this.#take(frame));
      this.#isBroken = false;
    } catch (error) {
      this.#isBroken = true;
      this.#log("error", "packets cannot be relayed: the kernel cannot hand them over", { error: String(error) });
    }
  }

  /** To another agent; not while its packets would not go on from here. */
  sendProbe(node: string, bytes: Uint8Array): void {
    if (!this.#isBroken) this.session.send({ kind: "probe", node, bytes });
  }

  #take(frame: Uint8Array): void {
    const taken = this.#isOn ? unwrap(frame) : undefined;
    const node = taken && this.#namesByMac.get(taken.to);
    if (!taken || !this.#nodes || node === undefined || taken.packet.byteLength > MAX_PACKET_BYTES) return;
    const source = addressesOf(taken.packet)?.source;
    if (!source || !isIn(this.#nodes.self.podCidrs, source)) return;
    this.session.send({ kind: "packet", node, bytes: taken.packet });
  }

  #deliver({ node, bytes }: Datagram): void {
    const from = this.#peers.get(node);
    const addresses = addressesOf(bytes);
    if (!from || !addresses || !this.#nodes || !this.#port) return;
    const { podCidrs } = this.#nodes.self;
    if (!isIn(from.peer.podCidrs, addresses.source) || !isIn(podCidrs, addresses.destination)) return;
    this.#port.send(wrap(bytes, { ...this.#device, from: from.mac }));
  }
}

const isIn = (ranges: readonly IpRange[], ip: Parameters<typeof rangeContains>[1]) =>
  ranges.some((range) => rangeContains(range, ip));
