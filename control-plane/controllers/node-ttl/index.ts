import { NODES } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Node } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { nextStep, TTL_ANNOTATION, ttlText } from "./decide.ts";

/** Tells kubelets by an annotation how long to trust what they hold, longer in large clusters. */
export const nodeTtlController: ControllerDefinition = {
  name: "node-ttl",
  serviceAccount: "ttl-controller",
  build({ api, log, informer }) {
    const nodes = informer<Node>(NODES);
    let step = 0;
    return {
      concurrency: 5,
      start(enqueue) {
        nodes.onEvent(({ type, object }) => {
          const before = step;
          step = nextStep(step, nodes.size);
          if (step !== before) for (const node of nodes.list()) enqueue(node.metadata.name);
          if (type !== "deleted" && object.metadata.annotations?.[TTL_ANNOTATION] !== ttlText(step))
            enqueue(object.metadata.name);
        });
      },
      async reconcile(name) {
        const node = nodes.get(name);
        const ttl = ttlText(step);
        if (!node || node.metadata.annotations?.[TTL_ANNOTATION] === ttl) return done;
        log.info("node-ttl plan", { name, ttl });
        const { uid } = node.metadata;
        const metadata = { uid, annotations: { [TTL_ANNOTATION]: ttl } };
        await api.patch(NODES, { name }, "merge", { metadata }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return done;
      },
    };
  },
};
