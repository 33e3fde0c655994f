import { parseIp } from "../../shared/api/ip.ts";
import type { EndpointSlice, Service } from "../../shared/api/types.ts";
import type { LocalEndpoint } from "../network/index.ts";
import type { UdpTarget } from "./conntrack.ts";
import { chooseEndpoints, type Endpoint, endpointsOf, type Place } from "./endpoints.ts";
import type { HealthCheck } from "./health.ts";
import { addPort, emptyPiece, type Piece, type PieceOptions } from "./pieces.ts";
import { type Family, familyOf, type ServicePort, servicePorts } from "./service-port.ts";

/** What one Service makes of this node's rules, in one family. */
export interface ServicePlan {
  piece: Piece;
  udp: UdpTarget[];
  health: HealthCheck | undefined;
  /** Ports whose policy is Local, by where from, that have endpoints on other nodes alone. */
  withoutLocal: { internal: number; external: number };
}

export interface PlanInputs extends PieceOptions {
  place: Place;
  slices: readonly EndpointSlice[];
  /** What the agent serves itself. */
  local: readonly LocalEndpoint[];
}

/** The API of the cluster is always reached by way of the node's own agent. */
const API_SERVICE = "default/kubernetes";

/** Pure: the same objects give the same plan. */
export function planService(service: Service, inputs: PlanInputs): ServicePlan {
  const { family, place, slices } = inputs;
  const plan: ServicePlan = {
    piece: emptyPiece(),
    udp: [],
    health: undefined,
    withoutLocal: { internal: 0, external: 0 },
  };
  const ports = servicePorts(service, family);
  const healthPort = service.spec?.healthCheckNodePort ?? 0;
  for (const port of ports) {
    const { name, protocol } = port;
    const fromApi = endpointsOf(slices, { family, name, protocol, nodeName: place.nodeName });
    const endpoints = ownOr(fromApi, port, inputs);
    const choice = chooseEndpoints(endpoints, port, place);
    addPort(plan.piece, port, choice, inputs);
    if (choice.hasAny && choice.local.length === 0) {
      if (port.isInternalLocal) plan.withoutLocal.internal++;
      if (port.isExternalLocal) plan.withoutLocal.external++;
    }
    if (protocol === "UDP") plan.udp.push(...udpTargets(port, endpoints, family));
    if (port.isExternalLocal && healthPort !== 0 && !plan.health) {
      const localEndpoints = new Set(
        ports.flatMap((each) =>
          endpointsOf(slices, { family, name: each.name, protocol: each.protocol, nodeName: place.nodeName })
            .filter(({ isLocal, isReady }) => isLocal && isReady)
            .map(({ address }) => address),
        ),
      ).size;
      plan.health = { service: port.service, port: healthPort, localEndpoints };
    }
  }
  return plan;
}

/**
 * The agent itself in the place of the API's endpoints, where it serves a port. Names are the exception: a name server of
 * the user's own that is ready behind kube-dns is preferred.
 */
function ownOr(fromApi: Endpoint[], port: ServicePort, { local, family }: PlanInputs): Endpoint[] {
  const own = local.find(
    (each) => each.service === port.service && each.protocol === port.protocol && each.port === port.port,
  );
  if (!own || !isOfFamily(own.address, family)) return fromApi;
  if (port.service !== API_SERVICE && fromApi.some(({ isReady }) => isReady)) return fromApi;
  const { address, targetPort } = own;
  const state = { isReady: true, isServing: true, isTerminating: false, isLocal: true };
  return [{ address, port: targetPort, ...state, zoneHints: [], nodeHints: [] }];
}

function isOfFamily(address: string, family: Family): boolean {
  const ip = parseIp(address);
  return ip !== undefined && familyOf(ip) === family;
}

/** A flow that is under way stays where it is while that serves, whatever new ones are led to. */
function udpTargets(port: ServicePort, all: readonly Endpoint[], family: Family): UdpTarget[] {
  const serving = all.filter(({ isServing }) => isServing);
  const endpoints = new Set(serving.map(({ address, port: target }) => `${address} ${target}`));
  const addresses = [port.clusterIp, ...port.externalIps, ...port.loadBalancerIps];
  const targets = addresses.map((address) => ({ family, to: `${address} ${port.port}`, endpoints }));
  return port.nodePort === 0 ? targets : [...targets, { family, to: `* ${port.nodePort}`, endpoints }];
}
