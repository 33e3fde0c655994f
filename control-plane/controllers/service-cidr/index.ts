import { IP_ADDRESSES, SERVICE_CIDRS } from "../../../shared/api/refs.ts";
import { containsAddress, readyApply } from "../../../shared/api/service-cidr.ts";
import { ignoreStale } from "../../../shared/api/status.ts";
import type { IPAddress, ServiceCIDR } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, printTime, requeueAfter } from "../../runtime/index.ts";
import { takeProtectionStep } from "../protection-finalizer.ts";
import { decide, FINALIZER } from "./decide.ts";

const MANAGER = "service-cidr-controller";

/**
 * Tells which ServiceCIDRs addresses may be given out of, and keeps one that is being deleted for as long as Services
 * have addresses of it. Giving them out is the API server's (KEP-1880).
 */
export const serviceCidrController: ControllerDefinition = {
  name: "service-cidr",
  serviceAccount: "service-cidrs-controller",
  eventSource: MANAGER,
  build({ api, log, clock, events, informer }) {
    const cidrs = informer<ServiceCIDR>(SERVICE_CIDRS);
    const addresses = informer<IPAddress>(IP_ADDRESSES);
    return {
      concurrency: 5,
      start(enqueue) {
        /** Those that wait to be let go: nothing else hangs on other objects. */
        const deleting = () => cidrs.list().filter(({ metadata }) => metadata.deletionTimestamp);
        cidrs.onEvent(({ type, object }) => {
          if (type !== "deleted") enqueue(object.metadata.name);
          if (type !== "updated") for (const { metadata } of deleting()) enqueue(metadata.name);
        });
        addresses.onEvent(({ type, object }) => {
          if (type === "updated") return;
          for (const cidr of deleting()) if (containsAddress(cidr, object.metadata.name)) enqueue(cidr.metadata.name);
        });
      },
      async reconcile(name) {
        const cidr = cidrs.get(name);
        if (!cidr) return done;
        const plan = decide(cidr, cidrs.list(), () => addresses.list(), clock.nowMs());
        if (plan.finalizer !== "keep" || plan.ready) log.info("service-cidr plan", { key: name, ...plan });
        await takeProtectionStep(api, SERVICE_CIDRS, { object: cidr, finalizer: FINALIZER, step: plan.finalizer });
        if (plan.ready) {
          const applied = readyApply(name, { ...plan.ready, lastTransitionTime: printTime(clock.nowMs()) });
          try {
            const target = { name, subresource: "status", fieldManager: MANAGER, force: true };
            await api.patch(SERVICE_CIDRS, target, "apply", applied).catch(ignoreStale);
          } catch (error) {
            const message = "The ServiceCIDR Status can not be set to Ready=True";
            events.event(cidr, "Warning", "KubernetesServiceCIDRError", message);
            throw error;
          }
        }
        return requeueAfter(plan.recheckAfterMs);
      },
    };
  },
};
