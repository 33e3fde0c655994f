import { ENDPOINTS, PODS, SERVICES } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type { Endpoints, Pod, Service } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf, splitKey } from "../../runtime/index.ts";
import { EndpointTriggers } from "../endpoint-triggers.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { isEndpointChanged, podsOf, selectsPods, servicesOf } from "../service-pods.ts";
import { decide, MANAGED_BY } from "./decide.ts";

/** Keeps the old core/v1 Endpoints beside the EndpointSlices, for clients that still read them. */
export const endpointsController: ControllerDefinition = {
  name: "endpoints",
  serviceAccount: "endpoint-controller",
  build({ api, log, informer }) {
    const services = informer<Service>(SERVICES);
    const pods = informer<Pod>(PODS);
    const endpoints = informer<Endpoints>(ENDPOINTS);
    const triggers = new EndpointTriggers();
    return {
      concurrency: 5,
      start(enqueue) {
        services.onEvent(({ object }) => enqueue(keyOf(object)));
        endpoints.onEvent(({ object }) => {
          if (object.metadata.labels?.[MANAGED_BY]) enqueue(keyOf(object));
        });
        pods.onEvent((event) => {
          const pod = event.object;
          const isRelabelled =
            event.type === "updated" &&
            JSON.stringify(event.old.metadata.labels) !== JSON.stringify(pod.metadata.labels);
          if (event.type === "updated" && !isRelabelled && !isEndpointChanged(event.old, pod)) return;
          for (const key of servicesOf(pod, services)) enqueue(key);
          if (isRelabelled) for (const key of servicesOf(event.old, services)) enqueue(key);
        });
      },
      async reconcile(key) {
        const service = services.get(key);
        const current = endpoints.get(key);
        if (!service) {
          triggers.forget(key);
          if (current?.metadata.labels?.[MANAGED_BY]) {
            log.info("endpoints plan", { key, write: "delete" });
            await api.delete(ENDPOINTS, splitKey(key), { uid: current.metadata.uid }).catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
            });
          }
          return done;
        }
        if (!selectsPods(service)) return done;
        const selected = podsOf(service, pods);
        const plan = decide(service, selected, current, triggers.next(service, selected));
        if (plan.write === "none") return done;
        log.info("endpoints plan", { key, write: plan.write, subsets: plan.endpoints.subsets?.length ?? 0 });
        try {
          if (plan.write === "create") await api.create<Endpoints>(ENDPOINTS, plan.endpoints);
          else await api.update<Endpoints>(ENDPOINTS, plan.endpoints);
        } catch (error) {
          // It was made or deleted meanwhile, and that change wakes this key.
          if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
        }
        return done;
      },
    };
  },
};
