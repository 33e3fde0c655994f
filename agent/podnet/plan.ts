import { type IpRange, printCidr, printIp } from "../../shared/api/ip.ts";
import type { Path } from "./decide-paths.ts";
import { RELAY_ADDRESS, RELAY_SOURCE, type RelayPorts, VXLAN_PORT, vxlanId, vxlanMac } from "./names.ts";
import { bridgeAddress, type Peer } from "./peer.ts";

/** What the kernel shall have for the way to the other nodes. */
export interface Plan {
  routes: Route[];
  /** Devices that encapsulate; each is only there while a path needs it. */
  overlays: Overlay[];
}

export interface Route {
  /** A range, in canonical form. */
  to: string;
  /** Absent: over a device on which nobody has to be asked for. */
  via?: string;
  /** Given for an overlay, whose gateways are in no network of its. */
  dev?: string;
}

export interface Overlay {
  name: string;
  mac: string;
  id: number;
  /** Of the outer packets. */
  local: string;
  /** UDP, of the peers and of this device. */
  port: number;
  /** UDP, of every outer packet; left to the kernel if not given. */
  sourcePort?: number;
  mtu: number;
  /** Its own addresses: the first of each of the node's ranges, which no pod has. What the node sends to pods comes from there. */
  addresses: string[];
  /** The peers' devices: where to send what, and which addresses they have. */
  peers: { mac: string; to: string; port?: number; gateways: string[] }[];
}

export interface PlanInputs {
  self: Peer;
  paths: readonly Path[];
  /** Undefined until it is known: nothing is encapsulated before. */
  clusterUid: string | undefined;
  overlay: { name: string; mtu: number };
  relay: { name: string; mtu: number; ports: RelayPorts };
  /** Those of WireGuard. */
  encrypted?: readonly Route[];
}

/** Sorted, so that equal plans are equal texts. */
export function renderPlan({ self, paths, clusterUid, overlay, relay, encrypted = [] }: PlanInputs): Plan {
  const routes: Route[] = [...encrypted];
  const encapsulated = new Map<string, Overlay["peers"][number]>();
  const relayed: typeof encapsulated = new Map();
  const add = (peers: typeof encapsulated, { peer, cidr }: Path, to: { to: string; port?: number }) => {
    const known = peers.get(peer) ?? { mac: vxlanMac(clusterUid ?? "", peer), ...to, gateways: [] };
    peers.set(peer, { ...known, gateways: [...known.gateways, gatewayTo(peer, cidr)].sort() });
  };
  const gatewayTo = (peer: string, cidr: IpRange) => overlayGateway(cidr, vxlanMac(clusterUid ?? "", peer));
  for (const path of paths) {
    const { kind, cidr, via, failing = [] } = path;
    const to = printCidr(cidr);
    if (kind === "direct" && via) routes.push({ to, via: printIp(via) });
    for (const way of failing) {
      // What is tried again by a route of its own: to the address of the peer's bridge, which nothing else is sent to.
      if (way.kind === "direct" && way.via) routes.push({ to: hostRange(bridgeAddress(cidr)), via: printIp(way.via) });
    }
    if (clusterUid === undefined) continue;
    const outer = kind === "vxlan" ? via : failing.find((way) => way.kind === "vxlan")?.via;
    if (outer) add(encapsulated, path, { to: printIp(outer) });
    if (kind === "vxlan") routes.push({ to, via: gatewayTo(path.peer, cidr), dev: overlay.name });
    if (kind !== "relayed") continue;
    add(relayed, path, { to: RELAY_ADDRESS, port: relay.ports.agent });
    routes.push({ to, via: gatewayTo(path.peer, cidr), dev: relay.name });
  }
  routes.sort((a, b) => (a.to < b.to ? -1 : 1));
  const local = self.addresses[0];
  if (clusterUid === undefined) return { routes, overlays: [] };
  const common = {
    mac: vxlanMac(clusterUid, self.name),
    id: vxlanId(clusterUid),
    addresses: self.podCidrs.map((cidr) => hostRange({ family: cidr.family, value: cidr.first })),
  };
  const overlays: Overlay[] = [];
  if (encapsulated.size > 0 && local) {
    overlays.push({ ...common, ...overlay, local: printIp(local), port: VXLAN_PORT, peers: sorted(encapsulated) });
  }
  if (relayed.size > 0) {
    const { name, mtu, ports } = relay;
    const ends = { local: RELAY_SOURCE, port: ports.kernel, sourcePort: ports.agent };
    overlays.push({ ...common, name, mtu, ...ends, peers: sorted(relayed) });
  }
  return { routes, overlays };
}

const sorted = (peers: ReadonlyMap<string, Overlay["peers"][number]>) =>
  [...peers.values()].sort((a, b) => (a.mac < b.mac ? -1 : 1));

/**
 * The next hop in an overlay: nobody asks for it, its hardware address is given. For IPv6 the link-local address of the
 * peer's device (RFC 4291, appendix A), since the kernel refuses one that a route of another device leads to: that is so
 * while the old way to the range is still there.
 */
function overlayGateway({ family, first }: IpRange, mac: string): string {
  if (family === 4) return printIp({ family, value: first });
  const bytes = mac.split(":").map((byte) => Number.parseInt(byte, 16));
  const identifier = [bytes[0]! ^ 0x02, bytes[1]!, bytes[2]!, 0xff, 0xfe, bytes[3]!, bytes[4]!, bytes[5]!];
  return printIp({ family, value: identifier.reduce((value, byte) => (value << 8n) | BigInt(byte), 0xfe80n << 48n) });
}

const hostRange = (ip: { family: 4 | 6; value: bigint }) => `${printIp(ip)}/${ip.family === 4 ? 32 : 128}`;

/** What the kernel has of ours; of an overlay only what was found of it. */
export interface Actual {
  routes: Route[];
  /** By name. */
  overlays: Record<string, ActualOverlay>;
}

export interface ActualOverlay extends Omit<Overlay, "name" | "peers"> {
  isUp: boolean;
  forwarding: { mac: string; to: string; port?: number }[];
  neighbours: { mac: string; address: string }[];
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
 * @param options.protocol of our routes
 */
export function decideCommands(plan: Plan, actual: Actual, { protocol }: { protocol: number }): Commands {
  const commands: Commands = { devices: [], forwarding: [], routes: [] };
  /** Devices that are there once the steps are taken, and those that keep what they had. */
  const kept = new Set<string>();
  for (const [name, found] of Object.entries(actual.overlays)) {
    const wanted = plan.overlays.find((each) => each.name === name);
    if (wanted && isSameDevice(wanted, found)) kept.add(name);
    else commands.devices.push(`link delete dev ${name}`);
  }
  for (const overlay of plan.overlays) {
    addOverlay(commands, overlay, kept.has(overlay.name) ? actual.overlays[overlay.name] : undefined);
  }
  const overlays = new Set(plan.overlays.map(({ name }) => name).concat(Object.keys(actual.overlays)));
  const isOverlay = (dev: string | undefined) => dev !== undefined && overlays.has(dev);
  commands.routes = routeCommands(plan.routes, actual.routes, {
    protocol,
    isOverlay,
    isGone: (dev) => isOverlay(dev) && !kept.has(dev!),
  });
  return commands;
}

const isSameDevice = (wanted: Overlay, found: ActualOverlay) =>
  found.id === wanted.id &&
  found.local === wanted.local &&
  found.port === wanted.port &&
  found.sourcePort === wanted.sourcePort;

/** @param had what is kept of it; undefined: there is none, or none that could be kept */
function addOverlay({ devices, forwarding }: Commands, overlay: Overlay, had: ActualOverlay | undefined): void {
  const { name, id, local, mac, mtu, port, sourcePort } = overlay;
  if (!had) {
    const ports = `dstport ${port}${sourcePort === undefined ? "" : ` srcport ${sourcePort} ${sourcePort + 1}`}`;
    const kind = `type vxlan id ${id} local ${local} ${ports} nolearning`;
    devices.push(`link add name ${name} address ${mac} mtu ${mtu} ${kind}`, `link set dev ${name} addrgenmode none`);
  }
  if (had && had.mac !== mac) devices.push(`link set dev ${name} address ${mac}`);
  if (had && had.mtu !== mtu) devices.push(`link set dev ${name} mtu ${mtu}`);
  for (const address of difference(had?.addresses ?? [], overlay.addresses))
    devices.push(`address delete ${address} dev ${name}`);
  for (const address of difference(overlay.addresses, had?.addresses ?? [])) {
    devices.push(`address replace ${address} dev ${name}${address.includes(":") ? " nodad" : ""}`);
  }
  if (!had?.isUp) devices.push(`link set dev ${name} up`);
  const print = ({ mac, to, port }: ActualOverlay["forwarding"][number]) =>
    `${mac} dev ${name} dst ${to}${port === undefined ? "" : ` port ${port}`}`;
  const entries = overlay.peers.map(print);
  const hadEntries = had?.forwarding.map(print) ?? [];
  for (const entry of difference(hadEntries, entries)) forwarding.push(`fdb delete ${entry}`);
  for (const entry of difference(entries, hadEntries)) forwarding.push(`fdb replace ${entry}`);
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

/** @param options.isGone whether a device is made anew, or goes: its routes went with it */
function routeCommands(
  wanted: Route[],
  actual: Route[],
  {
    protocol,
    isOverlay,
    isGone,
  }: { protocol: number; isOverlay(dev: string | undefined): boolean; isGone(dev: string | undefined): boolean },
): string[] {
  const print = ({ to, via, dev }: Route) =>
    via === undefined ? `${to} dev ${dev}` : `${to} via ${via}${isOverlay(dev) ? ` dev ${dev} onlink` : ""}`;
  const had = actual.filter(({ dev }) => !isGone(dev)).map(print);
  const targets = new Set(wanted.map(({ to }) => to));
  const gone = had.filter((route) => !targets.has(route.split(" ")[0]!));
  const added = difference(wanted.map(print), had);
  return [
    ...gone.map((route) => `route delete ${route} proto ${protocol}`),
    ...added.map((route) => `route replace ${route} proto ${protocol}`),
  ];
}

const difference = (a: readonly string[], b: readonly string[]) => a.filter((each) => !b.includes(each));
