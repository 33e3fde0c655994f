import type { ClusterNetwork } from "../../../shared/api/cluster-network.ts";
import { SERVICE_CIDRS } from "../../../shared/api/refs.ts";
import { DEFAULT_CIDR_MANAGER, DEFAULT_SERVICE_CIDR, defaultCidrIsReady } from "../../../shared/api/service-cidr.ts";
import { ignoreStale, isAlreadyExists } from "../../../shared/api/status.ts";
import type { ServiceCIDR } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, printTime } from "../../runtime/index.ts";
import { decide } from "./decide.ts";

/**
 * Keeps the ServiceCIDR `kubernetes` of the ranges that the cluster was made with, as kube-apiserver does.
 * @param network of the cluster
 */
export const defaultServiceCidrController = (network: () => Promise<ClusterNetwork>): ControllerDefinition => ({
  name: "default-service-cidr",
  serviceAccount: "kubernetes-service-controller",
  eventSource: DEFAULT_CIDR_MANAGER,
  build({ api, log, clock, events, informer }) {
    const cidrs = informer<ServiceCIDR>(SERVICE_CIDRS);
    return {
      concurrency: 1,
      start(enqueue) {
        enqueue(DEFAULT_SERVICE_CIDR);
        cidrs.onEvent(({ object }) => {
          if (object.metadata.name === DEFAULT_SERVICE_CIDR) enqueue(DEFAULT_SERVICE_CIDR);
        });
      },
      async reconcile(name) {
        const cidr = cidrs.get(name);
        const plan = decide(cidr, await network());
        if (plan.step === "none") return done;
        log.info("default-service-cidr plan", { key: name, ...plan });
        if (plan.step === "create") {
          await api.create(SERVICE_CIDRS, plan.object).catch((error: unknown) => {
            if (!isAlreadyExists(error)) throw error;
          });
        } else if (plan.step === "update") await api.update(SERVICE_CIDRS, plan.object).catch(ignoreStale);
        else if (plan.step === "ready") {
          const target = { name, subresource: "status", fieldManager: DEFAULT_CIDR_MANAGER, force: true };
          const applied = defaultCidrIsReady(printTime(clock.nowMs()));
          await api.patch(SERVICE_CIDRS, target, "apply", applied).catch(ignoreStale);
        } else if (cidr) events.event(cidr, "Warning", plan.warning.reason, plan.warning.message);
        return done;
      },
    };
  },
});
