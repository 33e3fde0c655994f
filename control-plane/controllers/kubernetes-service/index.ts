import type { ClusterNetwork } from "../../../shared/api/cluster-network.ts";
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { EndpointSlice, Endpoints, Service } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { type ControllerDefinition, done, keyOf, requeueAfter, splitKey } from "../../runtime/index.ts";
import { decide, type Write } from "./decide.ts";

const KEY = "default/kubernetes";
/** The machine that serves an embedded control plane may get another address. Where none is known, nothing wakes. */
const RECHECK_MS = 300_000;

/**
 * Keeps the Service `kubernetes` with its Endpoints and EndpointSlice, as kube-apiserver does.
 * @param cluster where nodes reach the front door (undefined where that is not known), and the cluster's ranges
 */
export const kubernetesServiceController = (cluster: {
  advertised(): Promise<{ ip: string; port: number } | undefined>;
  network(): Promise<ClusterNetwork>;
}): ControllerDefinition => ({
  name: "kubernetes-service",
  serviceAccount: "kubernetes-service-controller",
  build({ api, log, informer }) {
    const services = informer<Service>(SERVICES);
    const endpoints = informer<Endpoints>(ENDPOINTS);
    const slices = informer<EndpointSlice>(ENDPOINT_SLICES);
    async function carryOut<T extends Service | Endpoints | EndpointSlice>(
      ref: ResourceRef,
      plan: Write<T>,
    ): Promise<void> {
      if (plan.write === "none") return;
      if (plan.write === "update") return void (await api.update<T>(ref, plan.object));
      if (plan.write === "replace") await api.delete(ref, splitKey(KEY));
      await api.create<T>(ref, plan.object);
    }
    return {
      concurrency: 1,
      start(enqueue) {
        enqueue(KEY);
        for (const informed of [services, endpoints, slices])
          informed.onEvent(({ object }) => {
            if (keyOf(object) === KEY) enqueue(KEY);
          });
      },
      async reconcile() {
        const [address, network] = await Promise.all([cluster.advertised(), cluster.network()]);
        const current = { service: services.get(KEY), endpoints: endpoints.get(KEY), slice: slices.get(KEY) };
        const plan = decide(current, { advertised: address, network });
        const writes = [plan.service.write, plan.endpoints.write, plan.slice.write];
        const again = address ? requeueAfter(RECHECK_MS) : done;
        if (writes.every((write) => write === "none")) return again;
        log.info("kubernetes-service plan", { address, writes });
        try {
          await carryOut(SERVICES, plan.service);
          await carryOut(ENDPOINTS, plan.endpoints);
          await carryOut(ENDPOINT_SLICES, plan.slice);
        } catch (error) {
          // Somebody else wrote meanwhile, and that change wakes the key again.
          if (!isAlreadyExists(error) && !isNotFound(error) && !isConflict(error)) throw error;
        }
        return again;
      },
    };
  },
});
