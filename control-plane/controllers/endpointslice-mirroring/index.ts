import { SERVICE_NAME } from "../../../shared/api/endpoint-slice.ts";
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { EndpointSlice, Endpoints, Service } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";
import { MANAGED_BY } from "../endpointslice/labels.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { CONTROLLER_NAME, decide, isMirrored, MAX_ADDRESSES } from "./decide.ts";

const BY_SERVICE = "mirrored service";

const mirrorOf = ({ metadata }: EndpointSlice): string[] => {
  const { [MANAGED_BY]: by, [SERVICE_NAME]: name } = metadata.labels ?? {};
  return by === CONTROLLER_NAME && name ? [`${metadata.namespace}/${name}`] : [];
};

/** Shows hand-made Endpoints of Services without a selector as EndpointSlices, which proxies read (KEP-752). */
export const endpointSliceMirroringController: ControllerDefinition = {
  name: "endpointslice-mirroring",
  serviceAccount: "endpointslicemirroring-controller",
  eventSource: "endpoint-slice-mirroring-controller",
  build({ api, events, log, informer }) {
    const all = informer<Endpoints>(ENDPOINTS);
    const services = informer<Service>(SERVICES);
    const slices = informer<EndpointSlice>(ENDPOINT_SLICES);
    slices.addIndex(BY_SERVICE, mirrorOf);
    return {
      concurrency: 5,
      start(enqueue) {
        all.onEvent(({ object }) => enqueue(keyOf(object)));
        services.onEvent(({ object }) => enqueue(keyOf(object)));
        slices.onEvent(({ object, old }) => {
          for (const key of [...mirrorOf(object), ...(old ? mirrorOf(old) : [])]) enqueue(key);
        });
      },
      async reconcile(key) {
        const endpoints = all.get(key);
        const present = slices.byIndex(BY_SERVICE, key);
        if (!isMirrored(endpoints, services.get(key))) {
          for (const slice of present) await remove(slice);
          return done;
        }
        const plan = decide(endpoints, present);
        const { create, update, invalid, skipped } = plan;
        if (create.length + update.length + plan.remove.length > 0)
          log.info("endpointslice-mirroring plan", {
            key,
            create: create.length,
            update: update.length,
            remove: plan.remove.length,
          });
        if (invalid > 0)
          events.event(
            endpoints,
            "Warning",
            "InvalidIPAddress",
            `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
          );
        if (skipped > invalid)
          events.event(
            endpoints,
            "Warning",
            "TooManyAddressesToMirror",
            `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
          );
        try {
          for (const slice of create) await api.create(ENDPOINT_SLICES, slice);
          for (const slice of update) await api.update(ENDPOINT_SLICES, slice);
        } catch (error) {
          if (!isNamespaceTerminating(error)) throw error;
        }
        for (const slice of plan.remove) await remove(slice);
        return done;
      },
    };

    async function remove({ metadata }: EndpointSlice): Promise<void> {
      await api.delete(ENDPOINT_SLICES, metadata, { uid: metadata.uid }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  },
};
