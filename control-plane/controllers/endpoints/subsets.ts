import { isReady } from "../../../shared/api/conditions.ts";
import type { CoreV1EndpointPort, EndpointAddress, EndpointSubset, Pod, Service } from "../../../shared/api/types.ts";
import { fnv128a } from "../fnv.ts";
import { dump } from "../pod-template-hash/index.ts";
import { hasEndpoint, hostnameOf, ipsOf, portsOn } from "../service-pods.ts";

interface Served {
  address: EndpointAddress;
  isServed: boolean;
}

/** A port, and by address and pod those that offer it. */
interface Offer {
  port: CoreV1EndpointPort | undefined;
  by: Map<string, Served>;
}

/**
 * The pods of a Service as Endpoints have them: ports that the same pods offer form one subset. The order is upstream's,
 * by hash: clients see the same ports in the same places.
 */
export function subsetsOf(service: Service, pods: Pod[]): EndpointSubset[] {
  const offers = new Map<string, Offer>();
  for (const pod of pods) offerPorts(pod, service, offers);
  const groups = new Map<string, { served: Served[]; ports: CoreV1EndpointPort[] }>();
  for (const { port, by } of offers.values()) {
    const key = [...by.keys()].sort().join();
    const group = groups.get(key) ?? { served: [...by.values()], ports: [] };
    if (port) group.ports.push(port);
    groups.set(key, group);
  }
  return inHashOrder("v1.EndpointSubset", [...groups.values()].map(render));
}

function offerPorts(pod: Pod, service: Service, offers: Map<string, Offer>): void {
  const includesNotReady = service.spec?.publishNotReadyAddresses === true;
  const ip = ipOf(pod, service);
  if (!hasEndpoint(pod) || !ip || (pod.metadata.deletionTimestamp && !includesNotReady)) return;
  const isPortless = (service.spec?.ports ?? []).length === 0;
  const served = { address: addressOf(pod, service, ip), isServed: includesNotReady || isReady(pod) };
  for (const port of isPortless ? [undefined] : portsOn(pod, service).map(portOf)) {
    const key = JSON.stringify(port ?? null);
    const offer = offers.get(key) ?? { port, by: new Map<string, Served>() };
    offer.by.set(`${ip}/${pod.metadata.uid}`, served);
    offers.set(key, offer);
  }
}

const portOf = ({ name, port = 0, protocol, appProtocol }: ReturnType<typeof portsOn>[number]): CoreV1EndpointPort => ({
  ...(name ? { name } : {}),
  port,
  protocol,
  ...(appProtocol ? { appProtocol } : {}),
});

function ipOf(pod: Pod, { spec }: Service): string | undefined {
  const wantsIPv6 = spec?.ipFamilies?.[0] === "IPv6";
  return ipsOf(pod).find((ip) => ip.includes(":") === wantsIPv6);
}

function addressOf(pod: Pod, service: Service, ip: string): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ...(hostname ? { hostname } : {}),
    ip,
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

function render({ served, ports }: { served: Served[]; ports: CoreV1EndpointPort[] }): EndpointSubset {
  const addressesOf = (isServed: boolean) =>
    served
      .filter((one) => one.isServed === isServed)
      .map(({ address }) => address)
      .sort(byIpAndUid);
  const [addresses, notReadyAddresses] = [addressesOf(true), addressesOf(false)];
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports: inHashOrder("v1.EndpointPort", ports) } : {}),
  };
}

function byIpAndUid(a: EndpointAddress, b: EndpointAddress): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  return (a.targetRef?.uid ?? "") < (b.targetRef?.uid ?? "") ? -1 : 1;
}

/** By the hash of their dump, as upstream sorts them. */
function inHashOrder<T>(type: string, items: T[]): T[] {
  if (items.length < 2) return items;
  const hashed = items.map((item) => ({ item, hash: fnv128a(new TextEncoder().encode(dump(type, item))) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ item }) => item);
}
