import type { ClusterNetwork } from "../../../shared/api/cluster-network.ts";
import { isReady } from "../../../shared/api/conditions.ts";
import { kubeDnsService } from "../../../shared/api/kube-dns-service.ts";
import { NODES, SERVICES } from "../../../shared/api/refs.ts";
import { isAlreadyExists } from "../../../shared/api/status.ts";
import type { Node, Service } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";

const KEY = "kube-system/kube-dns";

/**
 * Makes the Service `kube-dns` as soon as there is a node that runs, and answers for it, and again when it was deleted. One that is
 * there is not corrected: it may be that of a CoreDNS which somebody installed.
 */
export const kubeDnsServiceController = (network: () => Promise<ClusterNetwork>): ControllerDefinition => ({
  name: "kube-dns-service",
  serviceAccount: "kube-dns-service-controller",
  build({ api, log, informer }) {
    const services = informer<Service>(SERVICES);
    const nodes = informer<Node>(NODES);
    return {
      concurrency: 1,
      start(enqueue) {
        enqueue(KEY);
        services.onEvent(({ object }) => {
          if (keyOf(object) === KEY) enqueue(KEY);
        });
        // Reports of a node that is there tell nothing new.
        nodes.onEvent(() => {
          if (!services.get(KEY)) enqueue(KEY);
        });
      },
      async reconcile() {
        if (services.get(KEY) || !nodes.list().some(isReady)) return done;
        log.info("kube-dns-service plan", { write: "create" });
        await api.create<Service>(SERVICES, kubeDnsService(await network())).catch((error: unknown) => {
          // The event of whoever made it is on its way.
          if (!isAlreadyExists(error)) throw error;
        });
        return done;
      },
    };
  },
});
