/**
 * Gives Services of type LoadBalancer their addresses where no cloud does: those of the nodes, or one of a pool that
 * `kube-system/hearth-load-balancer` configures. Who answers at an address of a pool is the nodes' own decision
 * (agent/announce), and where packets go that of their service proxies.
 */
import { serviceKeyOf } from "../../../shared/api/endpoint-slice.ts";
import { CONFIG_MAPS, ENDPOINT_SLICES, NODES, SERVICES } from "../../../shared/api/refs.ts";
import type { ConfigMap, EndpointSlice, Node, Service } from "../../../shared/api/types.ts";
import type { ControllerDefinition } from "../../runtime/index.ts";
import { isBalancerConfig } from "./config.ts";
import { isHeld } from "./decide.ts";
import { BALANCED, SLICES_OF } from "./indexes.ts";
import { balancerView } from "./node-addresses.ts";
import { type Deps, reconcile } from "./reconcile.ts";
import { Reservations } from "./reservations.ts";
import { Told } from "./told.ts";

const isBalanced = (service: Service) => service.spec?.type === "LoadBalancer" || isHeld(service);
const serviceOf = (slice: EndpointSlice): string[] => {
  const key = serviceKeyOf(slice);
  return key ? [key] : [];
};

export const serviceLoadBalancerController: ControllerDefinition = {
  name: "service-lb",
  serviceAccount: "service-controller",
  build(base) {
    const services = base.informer<Service>(SERVICES);
    const nodes = base.informer<Node>(NODES);
    const slices = base.informer<EndpointSlice>(ENDPOINT_SLICES);
    const configMaps = base.informer<ConfigMap>(CONFIG_MAPS);
    services.addIndex(BALANCED, (service) => (isBalanced(service) ? [""] : []));
    slices.addIndex(SLICES_OF, serviceOf);
    const reservations = new Reservations();
    const deps: Deps = { ...base, services, nodes, slices, configMaps, reservations, told: new Told(base.notes) };
    return {
      // One at a time: each choice must know of the one before.
      concurrency: 1,
      start(enqueue) {
        // Those that are gone are forgotten.
        for (const waiting of deps.told.keys()) enqueue(waiting);
        const all = () => {
          for (const { metadata } of services.byIndex(BALANCED, "")) enqueue(`${metadata.namespace}/${metadata.name}`);
        };
        services.onEvent((event) => {
          const key = `${event.object.metadata.namespace}/${event.object.metadata.name}`;
          reservations.saw(key, event.type === "deleted" ? undefined : event.object);
          if (event.type === "deleted") deps.told.forget(key);
          else if (isBalanced(event.object) || (event.old && isBalanced(event.old))) enqueue(key);
          // What it gives back somebody may wait for.
          const before = event.type === "deleted" ? event.object : event.old;
          if (before && isBalanced(before) && (event.type === "deleted" || isChanged(before, event.object)))
            for (const waiting of deps.told.keys()) enqueue(waiting);
        });
        nodes.onEvent((event) => {
          if (event.type === "updated" && balancerView(event.old) === balancerView(event.object)) return;
          all();
        });
        slices.onEvent(({ object }) => {
          for (const key of serviceOf(object))
            if (services.get(key)?.spec?.externalTrafficPolicy === "Local") enqueue(key);
        });
        configMaps.onEvent(({ object }) => {
          if (isBalancerConfig(object)) all();
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

const isChanged = (before: Service, after: Service) =>
  JSON.stringify([before.spec?.type, before.spec?.ports, before.status?.loadBalancer, before.metadata.annotations]) !==
  JSON.stringify([after.spec?.type, after.spec?.ports, after.status?.loadBalancer, after.metadata.annotations]);
