import type { ClusterNetwork } from "../../../shared/api/cluster-network.ts";
import { NODES } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { Node } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, TerminalError } from "../../runtime/index.ts";
import { decidePodCidrs, routesOf } from "./decide.ts";

/** A range that turned out to be another node's is kept out of the choice until the cache surely shows whose it is. */
const HELD_MS = 60_000;

/**
 * Gives each node its ranges of pod addresses, one a family. That no two nodes have the same is seen to by the store (the
 * claim `podCIDR/<cidr>`), so that a cache that is behind does no harm. A node keeps what it has: one that is there when its
 * cluster gets a second family has to be registered anew, as upstream.
 * @param network of the cluster
 */
export const nodeIpamController = (network: () => Promise<ClusterNetwork>): ControllerDefinition => ({
  name: "node-ipam",
  serviceAccount: "node-controller",
  eventSource: "cidrAllocator",
  build({ api, clock, log, events, informer }) {
    const nodes = informer<Node>(NODES);
    /** Given out and perhaps not in the cache yet, by node. */
    const given = new Map<string, string[]>();
    /** Until when (epoch ms) ranges are kept out. */
    const held = new Map<string, number>();
    return {
      // One at a time: each choice must know of the one before.
      concurrency: 1,
      start(enqueue) {
        nodes.onEvent(({ type, object }) => {
          if (type === "deleted") {
            given.delete(object.metadata.name);
            // What it had somebody may wait for.
            for (const { metadata, spec } of nodes.list()) if (!spec?.podCIDR) enqueue(metadata.name);
          } else if (!object.spec?.podCIDR) enqueue(object.metadata.name);
        });
      },
      async reconcile(name) {
        const node = nodes.get(name);
        if (!node || node.spec?.podCIDR || node.metadata.deletionTimestamp) return done;
        const { clusterCidrs } = await network();
        for (const [range, untilMs] of held) if (untilMs <= clock.nowMs()) held.delete(range);
        const known = nodes.list().flatMap(({ spec }) => spec?.podCIDRs ?? []);
        const taken = [...[...given.values()].flat(), ...held.keys(), ...known];
        const cidrs = given.get(name) ?? decidePodCidrs(clusterCidrs, taken, routesOf(node.metadata.annotations));
        if (!cidrs) {
          const about = { apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid };
          events.event(about, "Normal", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
          throw new TerminalError("no range of pod addresses is left");
        }
        log.info("node-ipam plan", { key: name, podCIDRs: cidrs });
        given.set(name, cidrs);
        const patch = { metadata: { uid: node.metadata.uid }, spec: { podCIDR: cidrs[0], podCIDRs: cidrs } };
        try {
          await api.patch(NODES, { name }, "merge", patch);
        } catch (error) {
          // Without an answer it may be the node's by now: the next try is for the same range.
          if (isNotFound(error) || isConflict(error)) given.delete(name);
          if (isNotFound(error)) return done;
          if (isConflict(error)) for (const range of cidrs) held.set(range, clock.nowMs() + HELD_MS);
          throw error;
        }
        return done;
      },
    };
  },
});
