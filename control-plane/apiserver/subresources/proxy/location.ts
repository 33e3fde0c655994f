import type { GroupResource } from "../../../../shared/api/group-resource.ts";
import type { KubeObject } from "../../../../shared/api/object.ts";
import { badRequest, notFound, serviceUnavailable } from "../../../../shared/api/status.ts";
import type { Endpoints, Node, Pod, Service } from "../../../../shared/api/types.ts";
import { splitSchemeNamePort } from "./scheme-name-port.ts";

/** Where a proxied object is spoken to. */
export interface Location {
  scheme: "http" | "https";
  address: string;
  /** Absent: the scheme's own. Not always a number: a pod's name may have said anything. */
  port?: string;
  /** From where it is nearest: the pod's node. Absent: no node is. */
  node?: string;
}

/** Reads past all caches: what a proxy is asked for may have come up just now. */
export interface ObjectReader {
  get(gr: GroupResource, name: string, namespace?: string): Promise<KubeObject | undefined>;
}

const NODES = { group: "", resource: "nodes" };
const PODS = { group: "", resource: "pods" };
const SERVICES = { group: "", resource: "services" };
const ENDPOINTS = { group: "", resource: "endpoints" };

/** The kubelet's, which answers nodes/proxy without a port; on the node nothing listens there. */
export const KUBELET_PORT = "10250";

/** Only one host's, and not this host alone (Go: net.IP.IsGlobalUnicast). */
const isGlobalUnicast = (address: string) =>
  !/^(0\.0\.0\.0$|255\.255\.255\.255$|127\.|169\.254\.|22[4-9]\.|23\d\.|::1?$|fe[89ab][0-9a-f]:|ff[0-9a-f]{2}:)/i.test(
    address,
  );

/**
 * A pod's first address, with the port said or the first that a container declares.
 * @throws ApiError 400 for a name that is none or an address that is not to be dialled, 404
 */
export async function podLocation(reader: ObjectReader, id: string, namespace: string): Promise<Location> {
  const asked = splitSchemeNamePort(id);
  if (!asked) throw badRequest(`invalid pod request ${JSON.stringify(id)}`);
  const pod = (await reader.get(PODS, asked.name, namespace)) as Pod | undefined;
  if (!pod) throw notFound(PODS, asked.name);
  const address = pod.status?.podIPs?.[0]?.ip ?? "";
  if (address === "" || !isGlobalUnicast(address)) throw badRequest("address not allowed");
  const declared = pod.spec.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  const port = asked.port || declared?.toString();
  return {
    scheme: asked.scheme || "http",
    address,
    ...(port ? { port } : {}),
    ...(pod.spec.nodeName ? { node: pod.spec.nodeName } : {}),
  };
}

/**
 * A ready endpoint of a Service, at random, that is a pod: what else a user may write into Endpoints is not for the API
 * server to speak to.
 * @param random in [0, 1)
 * @throws ApiError 400 for a name that is none, 404, 503 where nothing is ready
 */
export async function serviceLocation(
  reader: ObjectReader,
  id: string,
  { namespace, random }: { namespace: string; random: () => number },
): Promise<Location> {
  const asked = splitSchemeNamePort(id);
  if (!asked) throw badRequest(`invalid service request ${JSON.stringify(id)}`);
  const portName = await portNameOf(reader, asked, namespace);
  const endpoints = (await reader.get(ENDPOINTS, asked.name, namespace)) as Endpoints | undefined;
  // Upstream words it so, also where there is a Service without Endpoints.
  if (!endpoints) throw notFound(SERVICES, asked.name);
  const subsets = endpoints.subsets ?? [];
  if (subsets.length === 0)
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(asked.name)}`);
  for (const { addresses = [], ports = [] } of fromRandom(subsets, random)) {
    for (const { port } of ports.filter(({ name = "" }) => name === portName)) {
      for (const { ip, targetRef } of fromRandom(addresses, random)) {
        if (!targetRef?.name || targetRef.namespace !== namespace) continue;
        const pod = (await reader.get(PODS, targetRef.name, namespace)) as Pod | undefined;
        if (!pod?.status?.podIPs?.some((each) => each.ip === ip)) continue;
        const node = pod.spec.nodeName;
        return { scheme: asked.scheme || "http", address: ip, port: String(port), ...(node ? { node } : {}) };
      }
    }
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`);
}

/** Endpoints know ports by their names; a number is looked up among the Service's. */
async function portNameOf(
  reader: ObjectReader,
  { name, port }: { name: string; port: string },
  namespace: string,
): Promise<string> {
  if (!/^[+-]?\d{1,18}$/.test(port)) return port;
  const service = (await reader.get(SERVICES, name, namespace)) as Service | undefined;
  if (!service) throw notFound(SERVICES, name);
  const found = service.spec?.ports?.find((each) => each.port === Number(port));
  if (!found) throw serviceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
  return found.name ?? "";
}

/**
 * A node's address with the port said; undefined: its kubelet, which is reached through the tunnel itself.
 * @throws ApiError 400 for a name that is none, or a node without an address to dial, 404
 */
export async function nodeLocation(
  reader: ObjectReader,
  id: string,
): Promise<{ node: string; location: Location | undefined }> {
  const asked = splitSchemeNamePort(id);
  if (!asked) throw badRequest(`invalid node request ${JSON.stringify(id)}`);
  const node = (await reader.get(NODES, asked.name)) as Node | undefined;
  if (!node) throw notFound(NODES, asked.name);
  if (asked.port === "" || asked.port === KUBELET_PORT) return { node: asked.name, location: undefined };
  const addresses = node.status?.addresses ?? [];
  const address = ["InternalIP", "ExternalIP"]
    .map((type) => addresses.find((each) => each.type === type)?.address)
    .find((each) => each !== undefined);
  if (!address || !isGlobalUnicast(address)) throw badRequest("address not allowed");
  return {
    node: asked.name,
    location: { scheme: asked.scheme || "http", address, port: asked.port, node: asked.name },
  };
}

function fromRandom<T>(items: readonly T[], random: () => number): T[] {
  const start = Math.floor(random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
