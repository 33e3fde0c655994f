import type { Service } from "./types.ts";

/**
 * On a Service whose load balancer is ours, together with the finalizer: from where its addresses come, `nodes` or
 * `pool/<name>`. What has it not is somebody else's, or has none.
 */
export const BALANCED_FROM = "hearth.dev/load-balancer";
export const FROM_NODES = "nodes";
const POOL = "pool/";

export const fromPool = (name: string): string => `${POOL}${name}`;

/** On a node: it is no part of load balancers, neither by its own addresses nor as one that announces others. */
export const EXCLUDED_FROM_BALANCERS = "node.kubernetes.io/exclude-from-external-load-balancers";

/** The addresses that clients reach a Service's load balancer by; names (of clouds) left out. */
export const balancerIps = (service: Service): string[] =>
  (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));

/** Those that a node has to announce: of a pool of ours. */
export const announcedIps = (service: Service): string[] =>
  service.metadata.annotations?.[BALANCED_FROM]?.startsWith(POOL) ? balancerIps(service) : [];
