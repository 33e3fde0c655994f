import { printCidr, printIp } from "../../shared/api/ip.ts";
import type { Path } from "./decide-paths.ts";
import { VXLAN_PORT, vxlanId, vxlanMac } from "./names.ts";
import type { Peer } from "./peer.ts";

/** What the kernel shall have for the way to the other nodes. */
export interface Plan {
  routes: Route[];
  /** Only there while a path needs it. */
  overlay?: Overlay;
}

export interface Route {
  /** A range, in canonical form. */
  to: string;
  via: string;
  /** Given for the overlay, whose gateways are in no network of its. */
  dev?: string;
}

export interface Overlay {
  name: string;
  mac: string;
  id: number;
  /** Of the outer packets. */
  local: string;
  mtu: number;
  /** Its own addresses: the first of each of the node's ranges, which no pod has. What the node sends to pods comes from there. */
  addresses: string[];
  /** The peers' devices: where to send what, and which addresses they have. */
  peers: { mac: string; to: string; gateways: string[] }[];
}

export interface PlanInputs {
  self: Peer;
  paths: readonly Path[];
  /** Undefined until it is known: nothing is encapsulated before. */
  clusterUid: string | undefined;
  overlayName: string;
  mtu: number;
}

/** Sorted, so that equal plans are equal texts. */
export function renderPlan({ self, paths, clusterUid, overlayName, mtu }: PlanInputs): Plan {
  const routes: Route[] = [];
  const peers = new Map<string, Overlay["peers"][number]>();
  for (const { kind, cidr, via, peer } of paths) {
    const to = printCidr(cidr);
    if (kind === "direct" && via) routes.push({ to, via: printIp(via) });
    if (kind !== "vxlan" || !via || clusterUid === undefined) continue;
    const gateway = printIp({ family: cidr.family, value: cidr.first });
    routes.push({ to, via: gateway, dev: overlayName });
    const known = peers.get(peer) ?? { mac: vxlanMac(clusterUid, peer), to: printIp(via), gateways: [] };
    peers.set(peer, { ...known, gateways: [...known.gateways, gateway].sort() });
  }
  routes.sort((a, b) => (a.to < b.to ? -1 : 1));
  const local = self.addresses[0];
  if (peers.size === 0 || clusterUid === undefined || !local) return { routes };
  return {
    routes,
    overlay: {
      name: overlayName,
      mac: vxlanMac(clusterUid, self.name),
      id: vxlanId(clusterUid),
      local: printIp(local),
      mtu,
      addresses: self.podCidrs.map(
        ({ family, first }) => `${printIp({ family, value: first })}/${family === 4 ? 32 : 128}`,
      ),
      peers: [...peers.values()].sort((a, b) => (a.mac < b.mac ? -1 : 1)),
    },
  };
}

/** What the kernel has of ours; of the overlay only what was found of it. */
export interface Actual {
  routes: Route[];
  overlay?: {
    mac: string;
    id: number;
    local: string;
    port: number;
    mtu: number;
    isUp: boolean;
    addresses: string[];
    forwarding: { mac: string; to: string }[];
    neighbours: { mac: string; address: string }[];
  };
}

/** Lines for `ip -batch` and `bridge -batch`; the second come between the two halves of the first. */
export interface Commands {
  devices: string[];
  forwarding: string[];
  routes: string[];
}

/**
 * The steps from what is there to what shall be. What is right already is not touched, so that no packet is lost; a
 * device is made anew only when what cannot be changed of it is wrong.
 */
export function decideCommands(
  plan: Plan,
  actual: Actual,
  { name, protocol }: { name: string; protocol: number },
): Commands {
  const { overlay } = plan;
  const found = actual.overlay;
  const keeps =
    overlay && found && found.id === overlay.id && found.local === overlay.local && found.port === VXLAN_PORT;
  const had = keeps ? found : undefined;
  const devices: string[] = [];
  const forwarding: string[] = [];
  if (found && !keeps) devices.push(`link delete dev ${name}`);
  if (overlay) {
    if (!had) {
      const { id, local, mac, mtu } = overlay;
      const kind = `type vxlan id ${id} local ${local} dstport ${VXLAN_PORT} nolearning`;
      devices.push(`link add name ${name} address ${mac} mtu ${mtu} ${kind}`, `link set dev ${name} addrgenmode none`);
    }
    if (had && had.mac !== overlay.mac) devices.push(`link set dev ${name} address ${overlay.mac}`);
    if (had && had.mtu !== overlay.mtu) devices.push(`link set dev ${name} mtu ${overlay.mtu}`);
    for (const address of difference(had?.addresses ?? [], overlay.addresses))
      devices.push(`address delete ${address} dev ${name}`);
    for (const address of difference(overlay.addresses, had?.addresses ?? [])) {
      devices.push(`address replace ${address} dev ${name}${address.includes(":") ? " nodad" : ""}`);
    }
    if (!had?.isUp) devices.push(`link set dev ${name} up`);
    const entries = overlay.peers.map(({ mac, to }) => `${mac} ${to}`);
    const hadEntries = had?.forwarding.map(({ mac, to }) => `${mac} ${to}`) ?? [];
    for (const entry of difference(hadEntries, entries)) {
      const [mac, to] = entry.split(" ");
      forwarding.push(`fdb delete ${mac} dev ${name} dst ${to}`);
    }
    for (const entry of difference(entries, hadEntries)) {
      const [mac, to] = entry.split(" ");
      forwarding.push(`fdb replace ${mac} dev ${name} dst ${to}`);
    }
    const neighbours = overlay.peers.flatMap(({ mac, gateways }) => gateways.map((address) => `${address} ${mac}`));
    const hadNeighbours = had?.neighbours.map(({ mac, address }) => `${address} ${mac}`) ?? [];
    const wanted = new Set(neighbours.map((each) => each.split(" ")[0]));
    for (const [address] of hadNeighbours.map((each) => each.split(" "))) {
      if (!wanted.has(address)) devices.push(`neighbour delete ${address} dev ${name}`);
    }
    for (const each of difference(neighbours, hadNeighbours)) {
      const [address, mac] = each.split(" ");
      devices.push(`neighbour replace ${address} lladdr ${mac} dev ${name} nud permanent`);
    }
  }
  return { devices, forwarding, routes: routeCommands(plan.routes, actual.routes, { name, protocol, isNew: !had }) };
}

/** @param isNew whether the overlay's device is a new one: with the old one its routes went */
function routeCommands(
  wanted: Route[],
  actual: Route[],
  { name, protocol, isNew }: { name: string; protocol: number; isNew: boolean },
): string[] {
  const print = ({ to, via, dev }: Route) => `${to} via ${via}${dev === name ? ` dev ${name} onlink` : ""}`;
  const had = actual.filter(({ dev }) => !(isNew && dev === name)).map(print);
  const targets = new Set(wanted.map(({ to }) => to));
  const gone = had.filter((route) => !targets.has(route.split(" ")[0]!));
  const added = difference(wanted.map(print), had);
  return [
    ...gone.map((route) => `route delete ${route} proto ${protocol}`),
    ...added.map((route) => `route replace ${route} proto ${protocol}`),
  ];
}

const difference = (a: readonly string[], b: readonly string[]) => a.filter((each) => !b.includes(each));
