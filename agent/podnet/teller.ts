import type { Node } from "../../shared/api/types.ts";
import type { NetworkContext } from "../network/index.ts";
import { type NodeEvent, sendNodeEvent } from "../node/index.ts";
import { runNft } from "../programs/index.ts";
import { parseForwardDrops } from "./firewall.ts";
import { PATHS_ANNOTATION, pathEvents } from "./paths-annotation.ts";
import { type NetworkReport, reportNetwork } from "./report.ts";

/** What a node says of its network: in its Node, by events, and in the log. */
export class Teller {
  readonly #context: NetworkContext;
  /** What the annotation says; the set of nodes learns of it a moment later. */
  #told: string | undefined;
  #drops = "";

  constructor(context: NetworkContext) {
    this.#context = context;
  }

  /**
   * The API may be away: then the Node is told when it is back, which is a change of the set of nodes.
   * @returns whether another node has this one's key
   */
  async tellPaths(node: Node | undefined, report: NetworkReport): Promise<{ isKeyTaken: boolean }> {
    const { nodeApi, clock, log, tunnel } = this.#context;
    if (!node || !tunnel.isConnected) return { isKeyTaken: false };
    const reported = await reportNetwork(nodeApi, node, report, clock.nowMs()).catch((error: unknown) => {
      log("debug", "the node could not be told how others are reached", { error: String(error) });
      return { isKeyTaken: false };
    });
    const told = this.#told ?? node.metadata?.annotations?.[PATHS_ANNOTATION] ?? "";
    for (const event of pathEvents(told, report[PATHS_ANNOTATION] ?? "")) {
      log(event.type === "Warning" ? "warn" : "info", event.message);
      await this.#tell(event);
    }
    this.#told = report[PATHS_ANNOTATION];
    return reported;
  }

  /** Warns, once, of another program's rules that drop what pods send. */
  async tellOfFirewall(): Promise<void> {
    const drops = parseForwardDrops(await runNft(["-j", "list", "chains"]).catch(() => ""));
    const text = drops.join(", ");
    if (text === this.#drops) return;
    this.#drops = text;
    if (text === "") return;
    const message = `Another firewall on the node drops forwarded packets by default (${text}): pods may reach neither other nodes nor the outside until it accepts them`;
    this.#context.log("warn", message);
    await this.#tell({ type: "Warning", reason: "ForwardingBlocked", message });
  }

  /** An event of this node. Events are a courtesy: one that cannot be sent is not missed. */
  async #tell(event: NodeEvent): Promise<void> {
    const { nodeApi, nodeName, clock } = this.#context;
    await sendNodeEvent(nodeApi, nodeName, event, clock.nowMs()).catch(() => undefined);
  }
}
