import type { KubeObject } from "../../shared/api/object.ts";
import {
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  NAMESPACES,
  NETWORK_POLICIES,
  NODES,
  PODS,
  SERVICE_CIDRS,
  SERVICES,
} from "../../shared/api/refs.ts";
import type { ConfigMap, NetworkPolicy, Service, ServiceCIDR } from "../../shared/api/types.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";
import { startAnnouncing } from "../announce/index.ts";
import { startApiForward } from "../apiforward/index.ts";
import { startNames } from "../dns/index.ts";
import { createInformer, type Informer, type Memory } from "../informer/index.ts";
import type { Feed, PodNetwork } from "../kubelet/index.ts";
import { startPolicies } from "../netpol/index.ts";
import { startPodNetwork } from "../podnet/index.ts";
import { startProxy } from "../proxy/index.ts";
import { checkedNodes } from "./claimed-ranges.ts";
import { createLocalEndpoints, type NetworkContext } from "./context.ts";
import { ensureLocalAddress, localAddress } from "./local-address.ts";
import { createLocalPods } from "./local-pods.ts";
import {
  projectEndpointSlice,
  projectNamespace,
  projectNode,
  projectPod,
  projectService,
  withoutBookkeeping,
} from "./project.ts";

/** What a network's parts are given as it is, and what it is made from. */
export interface NetworkOptions
  extends Pick<
    NetworkContext,
    | "instance"
    | "nodeName"
    | "cluster"
    | "clusterDomain"
    | "clusterCa"
    | "stateDir"
    | "bridgeName"
    | "cniConfigDir"
    | "api"
    | "nodeApi"
    | "state"
    | "tunnel"
    | "reportNode"
    | "clock"
    | "log"
    | "signal"
  > {
  /** The cluster's: that of names and the API. */
  primaryFamily: 4 | 6;
  /** Whether to lead to Services: the user may have another program for it. */
  serviceProxy: boolean;
  /** As the node's network. */
  feed: Feed;
}

export interface Network {
  /** Where the kubelet says what addresses its pods have. */
  pods: PodNetwork;
  services: Informer<Service>;
  /** This node's ranges; empty until node-ipam gave them. */
  podCidrs(): string[];
  /** This node's ranges, at first and when they change. */
  setPodCidrs(podCidrs: string[]): void;
  /** Settles when nothing is being done any more; what is in the kernel stays. */
  stop(): Promise<void>;
}

/** A part that could not be started (a program is missing, say) is tried again: so long after, then longer. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

/** A part of the network: started once, it looks after itself until the signal is aborted. */
type Part = (context: NetworkContext) => Promise<{ stop?(): Promise<void> } | undefined>;

/** By name, in the order in which they start. */
const PARTS: [name: string, part: Part][] = [
  ["policies", startPolicies],
  ["API for pods", startApiForward],
  ["pod network", startPodNetwork],
  ["service proxy", startProxy],
  ["addresses of load balancers", startAnnouncing],
  ["names", startNames],
];

/**
 * Follows what the node's network is made of, and starts its parts. One that cannot start is said in the log, and the
 * others work on: pods run without names rather than not at all.
 */
export async function startNetwork(options: NetworkOptions): Promise<Network> {
  const { feed, state, clock, log, signal, instance } = options;
  const writing = new Set<Promise<void>>();
  const memory: Memory = {
    remembered: (set) => state.remembered(set),
    remember: (set, objects) => {
      const written = state.remember(set, objects).finally(() => writing.delete(written));
      writing.add(written);
      return written;
    },
  };
  const follow = <T extends object>(
    ref: ResourceRef,
    project: (object: KubeObject) => T,
    selection?: { namespace?: string },
  ): Promise<Informer<T>> =>
    createInformer<T>({
      ref,
      project,
      feed,
      memory,
      clock,
      log,
      signal,
      ...(selection && { options: selection }),
    });
  // A machine where it cannot be put in place runs pods still, without names and the API in them.
  await ensureLocalAddress(instance, options.primaryFamily).catch((error: unknown) => {
    log("error", "the address for this node's pods could not be put in place", { error: String(error) });
  });
  const localPods = createLocalPods();
  let podCidrs: string[] = [];
  const cidrListeners = new Set<() => void>();
  let pods: ReturnType<NetworkContext["pods"]> | undefined;
  const serviceCidrs = await follow(SERVICE_CIDRS, withoutBookkeeping<ServiceCIDR>);
  const context: NetworkContext = {
    ...options,
    localAddress: localAddress(instance, options.primaryFamily),
    podCidrs: () => podCidrs,
    onPodCidrs: (listener) => void cidrListeners.add(listener),
    services: await follow(SERVICES, projectService),
    endpointSlices: await follow(ENDPOINT_SLICES, projectEndpointSlice),
    nodes: checkedNodes(await follow(NODES, projectNode), serviceCidrs, options),
    namespaces: await follow(NAMESPACES, projectNamespace),
    serviceCidrs,
    networkPolicies: await follow(NETWORK_POLICIES, withoutBookkeeping<NetworkPolicy>),
    configMaps: await follow(CONFIG_MAPS, withoutBookkeeping<ConfigMap>, { namespace: "kube-system" }),
    pods: () => {
      pods ??= follow(PODS, projectPod);
      return pods;
    },
    localPods,
    localEndpoints: createLocalEndpoints(),
  };
  // As it was before the agent was restarted; the API may be away.
  podCidrs = context.nodes.get(options.nodeName)?.spec?.podCIDRs ?? [];
  const running = new Set<{ stop?(): Promise<void> }>();
  const begin = async (name: string, start: Part, retryMs = FIRST_RETRY_MS): Promise<void> => {
    try {
      const part = await start(context);
      if (part) running.add(part);
    } catch (error) {
      log("error", `a part of the network could not be started: ${name}`, { error: String(error), retryMs });
      void clock.sleep(retryMs, signal).then(async () => {
        if (!signal.aborted) await begin(name, start, Math.min(2 * retryMs, MAX_RETRY_MS));
      });
    }
  };
  const wanted = PARTS.filter(([, start]) => options.serviceProxy || start !== startProxy);
  await Promise.all(wanted.map(([name, start]) => begin(name, start)));
  return {
    pods: localPods,
    services: context.services,
    podCidrs: () => podCidrs,
    setPodCidrs(cidrs) {
      if (cidrs.join() === podCidrs.join()) return;
      podCidrs = cidrs;
      for (const listener of cidrListeners) listener();
    },
    stop: async () => {
      await Promise.all([...running].map((part) => part.stop?.()));
      // What changed last is remembered at the signal, for an agent that starts without the API.
      await Promise.allSettled(writing);
    },
  };
}
