import type {
  ConfigMap,
  EndpointSlice,
  Namespace,
  NetworkPolicy,
  Node,
  Pod,
  Service,
  ServiceCIDR,
} from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { Clock } from "../clock/index.ts";
import type { Informer } from "../informer/index.ts";
import type { Log } from "../log/index.ts";
import type { AgentState } from "../state/index.ts";
import type { Tunnel } from "../tunnel/index.ts";
import type { LocalPods } from "./local-pods.ts";

/** An endpoint that this agent serves itself, in the place of whatever the API says of a Service's port. */
export interface LocalEndpoint {
  /** `<namespace>/<name>`. */
  service: string;
  protocol: "TCP" | "UDP";
  /** The Service's port. */
  port: number;
  address: string;
  targetPort: number;
}

/** What every part of a node's network is given. */
export interface NetworkContext {
  /** Tells the agents of one machine apart: in names of tables and interfaces. */
  instance: string;
  nodeName: string;
  cluster: string;
  clusterDomain: string;
  /** PEM. */
  clusterCa: string;
  stateDir: string;
  /** The bridge of our own pod network; pods may be elsewhere when the user has another one. */
  bridgeName: string;
  /** Where the container runtime looks for its pod network. */
  cniConfigDir: string;
  /** Of the cluster's first family, heard on this machine alone: on it the agent serves its pods (names, the API). */
  localAddress: string;
  /** This node's ranges; empty until node-ipam gave them. */
  podCidrs(): string[];
  /** Told when `podCidrs` has changed. */
  onPodCidrs(listener: () => void): void;
  services: Informer<Service>;
  endpointSlices: Informer<EndpointSlice>;
  nodes: Informer<Node>;
  /** The ranges of Services' addresses. */
  serviceCidrs: Informer<ServiceCIDR>;
  namespaces: Informer<Namespace>;
  networkPolicies: Informer<NetworkPolicy>;
  /** ConfigMaps of kube-system. */
  configMaps: Informer<ConfigMap>;
  /** Every pod of the cluster, as far as policies need it (names, labels, addresses, ports); followed once it was asked for. */
  pods(): Promise<Informer<Pod>>;
  /** Those of this node, as its runtime has them. */
  localPods: LocalPods;
  /** What this agent serves itself; the service proxy leads there. Grows as parts start. */
  localEndpoints: LocalEndpoints;
  /** As the node's network (`system:node-network:<name>`): for what it reads, and events. */
  api: ApiClient;
  /** As the node (`system:node:<name>`): for its own Node object. */
  nodeApi: ApiClient;
  /** Of this node alone: what parts remember for themselves. */
  state: AgentState;
  tunnel: Tunnel;
  /** Has the Node's status looked at: this machine's addresses have changed. */
  reportNode(): void;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

export interface LocalEndpoints {
  list(): readonly LocalEndpoint[];
  /** In the place of those of the same Service, protocol and port. */
  set(...endpoints: LocalEndpoint[]): void;
  onChange(listener: () => void): void;
}

export function createLocalEndpoints(): LocalEndpoints {
  const endpoints = new Map<string, LocalEndpoint>();
  const listeners = new Set<() => void>();
  return {
    list: () => [...endpoints.values()],
    set(...added) {
      for (const each of added) endpoints.set(`${each.service}:${each.protocol}:${each.port}`, each);
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
