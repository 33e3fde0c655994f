import { z } from "zod";
import { type IpRange, parseCidr, rangeContains } from "../../shared/api/ip.ts";
import { LruMap } from "../../shared/lru-map.ts";
import {
  addressesOf,
  type Datagram,
  DatagramQueue,
  decodeDatagram,
  encodeDatagram,
  MAX_RELAY_PEERS,
  MAX_SESSION_BYTES,
  Pace,
} from "../../shared/relay/index.ts";
import { MessageDecoder, TunnelError, type TunnelStream } from "../../shared/tunnel/index.ts";

/** A node keeps its ranges for as long as it lives; another one by its name may have others. */
const RANGES_TTL_MS = 60_000;
/** After the API could not be asked, and for a node that is not there yet, or has no range yet. */
const RETRY_MS = 1_000;
const MAX_KNOWN_NODES = 4_096;

const nodeSchema = z.object({
  spec: z.object({ podCIDRs: z.array(z.string()).default([]) }).default({ podCIDRs: [] }),
});

/** What a session's relay needs of what is around it. */
export interface RelaySurroundings {
  /** The name of the session's own node. */
  node: string;
  /** A Node of the cluster as the API gives it; undefined if there is none. */
  getNode(name: string): Promise<unknown>;
  /** Hands datagrams, encoded as from this node, to the session of another one. */
  pass(to: string, datagrams: Uint8Array): Promise<void>;
}

/**
 * The relay's part of one node's session: takes the node's datagrams off its stream and passes them to the sessions of
 * those that they are for; and puts on the stream what other sessions pass here. A node without a stream gets nothing. A
 * packet goes on if it comes from the ranges of the node that sends it, and leads to those of the one that it names.
 */
export class SessionRelay {
  readonly #surroundings: RelaySurroundings;
  readonly #ranges = new LruMap<string, { ranges: IpRange[] | undefined; untilMs: number }>(MAX_KNOWN_NODES);
  readonly #outgoing = new Map<string, DatagramQueue>();
  /** In all of them. */
  readonly #waiting = { bytes: 0 };
  #incoming: { stream: TunnelStream; queue: DatagramQueue } | undefined;

  constructor(surroundings: RelaySurroundings) {
    this.#surroundings = surroundings;
  }

  /** Serves a stream of the node until it ends; a newer one takes its place. Never rejects. */
  async serve(stream: TunnelStream): Promise<void> {
    this.#incoming?.stream.reset("cancelled", "replaced by a newer relay of this node");
    const queue = new DatagramQueue();
    this.#incoming = { stream, queue };
    stream.respond({ status: 200, headers: {} });
    const failed = (error: unknown) => {
      if (error instanceof TunnelError) return stream.reset(error.code, error.message);
      console.error("a node's relay failed", { node: this.#surroundings.node, error });
      stream.reset("internal", "the relay failed");
    };
    await Promise.all([this.#read(stream).catch(failed), writeAll(stream, queue).catch(failed)]);
    if (this.#incoming?.stream === stream) this.#incoming = undefined;
  }

  /** Takes what another node's session passes on. */
  receive(datagrams: Uint8Array): void {
    this.#incoming?.queue.push(datagrams);
  }

  async #read(stream: TunnelStream): Promise<void> {
    const decoder = new MessageDecoder();
    const pace = new Pace();
    for await (const chunk of stream.readable) {
      for (const message of decoder.push(chunk)) await this.#route(decodeDatagram(message));
      // Meanwhile the node has no credit for more, and loses what it cannot keep.
      const waitMs = pace.spend(chunk.byteLength, Date.now());
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    stream.reset("cancelled", "the node relays nothing more");
  }

  async #route({ kind, node: to, bytes }: Datagram): Promise<void> {
    const { node } = this.#surroundings;
    const [own, others] = [await this.#rangesOf(node), await this.#rangesOf(to)];
    if (!own || !others || to === node) return;
    if (kind === "packet") {
      const addresses = addressesOf(bytes);
      const isAllowed =
        addresses &&
        own.some((range) => rangeContains(range, addresses.source)) &&
        others.some((range) => rangeContains(range, addresses.destination));
      if (!isAllowed) return;
    }
    if (this.#waiting.bytes + bytes.byteLength > MAX_SESSION_BYTES) return;
    const known = this.#outgoing.get(to);
    if (!known && this.#outgoing.size >= MAX_RELAY_PEERS) return;
    const queue = known ?? new DatagramQueue({ together: this.#waiting });
    queue.push(encodeDatagram({ kind, node, bytes }));
    if (known) return;
    this.#outgoing.set(to, queue);
    void this.#passAll(to, queue);
  }

  /** While a batch is under way the next one gathers. */
  async #passAll(to: string, queue: DatagramQueue): Promise<void> {
    for (let batch = queue.take(); batch; batch = queue.take()) {
      await this.#surroundings.pass(to, batch).catch(() => {
        // Its session restarts, say: what was lost are datagrams.
      });
    }
    this.#outgoing.delete(to);
  }

  async #rangesOf(name: string): Promise<IpRange[] | undefined> {
    const known = this.#ranges.get(name);
    if (known && known.untilMs > Date.now()) return known.ranges;
    const node = await this.#surroundings.getNode(name).catch((error: unknown) => {
      console.error("the ranges of a node cannot be read", { node: name, error });
      return undefined;
    });
    const ranges = nodeSchema
      .safeParse(node)
      .data?.spec.podCIDRs.map(parseCidr)
      .filter((range) => range !== undefined);
    this.#ranges.set(name, { ranges, untilMs: Date.now() + (ranges?.length ? RANGES_TTL_MS : RETRY_MS) });
    return ranges;
  }
}

async function writeAll(stream: TunnelStream, queue: DatagramQueue): Promise<void> {
  const writer = stream.writable.getWriter();
  writer.closed.catch(() => {}); // the stream's own end tells
  void stream.closed.then(() => queue.end());
  while (!stream.isOver) {
    await queue.waitForSome();
    const batch = queue.take();
    if (batch && !stream.isOver) await writer.write(batch);
  }
}
