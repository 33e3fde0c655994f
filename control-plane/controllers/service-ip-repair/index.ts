import type { KubeObject } from "../../../shared/api/object.ts";
import { IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from "../../../shared/api/refs.ts";
import { clusterIpsOf, containsAddress, ipAddressFor, isOfAllocator } from "../../../shared/api/service-cidr.ts";
import { ignoreStale, isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type { IPAddress, Service, ServiceCIDR } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import {
  type ControllerDefinition,
  type ControllerDeps,
  done,
  type Informer,
  keyOf,
  type Requeue,
  requeueAfter,
  splitKey,
} from "../../runtime/index.ts";
import { decideAddress, decideService, WRITE_MS } from "./decide.ts";

interface Deps extends ControllerDeps {
  services: Informer<Service>;
  addresses: Informer<IPAddress>;
  cidrs: Informer<ServiceCIDR>;
}

/** Keys are `service/<namespace>/<name>` and `address/<address>`. */
const SERVICE = "service/";
const ADDRESS = "address/";

/**
 * Holds Services and their IPAddresses to each other, as kube-apiserver's repair does: makes those that are missing or
 * wrong, and removes those that a write which failed left behind. The API server makes and removes them itself; this
 * acts after crashes, hands on the objects, and for clusters from before there were any.
 */
export const serviceIpRepairController: ControllerDefinition = {
  name: "service-ip-repair",
  serviceAccount: "kubernetes-service-controller",
  eventSource: "ipallocator-repair-controller",
  build(base) {
    const deps: Deps = {
      ...base,
      services: base.informer<Service>(SERVICES),
      addresses: base.informer<IPAddress>(IP_ADDRESSES),
      cidrs: base.informer<ServiceCIDR>(SERVICE_CIDRS),
    };
    return {
      concurrency: 5,
      start(enqueue) {
        deps.services.onEvent((event) => {
          const before =
            event.type === "added" ? [] : clusterIpsOf(event.type === "updated" ? event.old : event.object);
          const now = event.type === "deleted" ? [] : clusterIpsOf(event.object);
          if (now.some((address) => !before.includes(address))) enqueue(SERVICE + keyOf(event.object));
          // Who took it away gives it back; only what is left much later was forgotten.
          for (const address of before) if (!now.includes(address)) enqueue(ADDRESS + address, WRITE_MS);
        });
        deps.addresses.onEvent(({ type, object }) => {
          if (type !== "deleted") return isOfAllocator(object) ? enqueue(ADDRESS + object.metadata.name) : undefined;
          const { namespace, name } = object.spec?.parentRef ?? {};
          const service = deps.services.get(`${namespace}/${name}`);
          if (service && clusterIpsOf(service).includes(object.metadata.name)) enqueue(SERVICE + keyOf(service));
        });
        // Of Services without a range nothing could be repaired. (Upstream looks at all of them every three minutes.)
        deps.cidrs.onEvent((event) => {
          const { type, object } = event;
          const before = type === "updated" ? (event.old.spec?.cidrs ?? []) : [];
          const added = type === "deleted" ? [] : (object.spec?.cidrs ?? []).filter((cidr) => !before.includes(cidr));
          if (added.length > 0) for (const service of servedBy(object, deps)) enqueue(SERVICE + keyOf(service));
        });
      },
      reconcile: (key) =>
        key.startsWith(SERVICE)
          ? reconcileService(key.slice(SERVICE.length), deps)
          : reconcileAddress(key.slice(ADDRESS.length), deps),
    };
  },
};

/** Services with an address of the range. */
const servedBy = (cidr: ServiceCIDR, { services }: Deps): Service[] =>
  services.list().filter((service) => clusterIpsOf(service).some((address) => containsAddress(cidr, address)));

async function reconcileService(key: string, deps: Deps): Promise<Requeue> {
  const { api, services, addresses, cidrs, events, log } = deps;
  const cached = services.get(key);
  const serviceOf = ({ namespace, name }: { namespace?: string; name?: string }) =>
    services.get(`${namespace}/${name}`);
  const known = { cidrs: cidrs.list(), serviceOf, addressOf: (address: string) => addresses.get(address) };
  if (!cached || decideService(cached, known).length === 0) return done;
  // The stores are fed one by one: a Service may come before its IPAddress. What follows asks them.
  const service = await live<Service>(SERVICES, splitKey(key), deps);
  if (!service) return done;
  const found = new Map<string, IPAddress>();
  for (const address of clusterIpsOf(service)) {
    const ipAddress = await live<IPAddress>(IP_ADDRESSES, { name: address }, deps);
    if (ipAddress) found.set(address, ipAddress);
  }
  for (const repair of decideService(service, { ...known, addressOf: (address) => found.get(address) })) {
    const { address, step, warning } = repair;
    log.info("service-ip-repair plan", { key, ...repair });
    if (warning) events.event(service, "Warning", warning.reason, warning.message);
    if (step === "none") continue;
    const wrong = found.get(address);
    if (wrong) await api.delete(IP_ADDRESSES, { name: address }, preconditionsOf(wrong)).catch(ignoreStale);
    await api.create(IP_ADDRESSES, ipAddressFor(address, service)).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  return done;
}

async function reconcileAddress(address: string, deps: Deps): Promise<Requeue> {
  const { api, services, addresses, clock, events, log } = deps;
  const ipAddress = addresses.get(address);
  if (!ipAddress) return done;
  const { namespace = "", name = "" } = ipAddress.spec?.parentRef ?? {};
  const cached = services.get(`${namespace}/${name}`);
  let plan = decideAddress(ipAddress, cached, clock.nowMs());
  if (plan.step === "remove" && name && namespace) {
    plan = decideAddress(ipAddress, await live<Service>(SERVICES, { namespace, name }, deps), clock.nowMs());
  }
  if (plan.step === "keep") return requeueAfter(plan.recheckAfterMs);
  log.info("service-ip-repair plan", { key: address, ...plan });
  events.event(ipAddress, "Warning", plan.warning.reason, plan.warning.message);
  await api.delete(IP_ADDRESSES, { name: address }, preconditionsOf(ipAddress)).catch(ignoreStale);
  return done;
}

const preconditionsOf = ({ metadata }: KubeObject) => ({
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});

async function live<T extends KubeObject>(
  ref: ResourceRef,
  { name, namespace }: { name: string; namespace?: string },
  { api }: Deps,
): Promise<T | undefined> {
  try {
    return await api.get<T>(ref, name, namespace);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
