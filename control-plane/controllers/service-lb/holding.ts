import { BALANCED_FROM, balancerIps } from "../../../shared/api/load-balancer.ts";
import type { Service } from "../../../shared/api/types.ts";
import { keyOf } from "../../runtime/index.ts";

/** What a Service has of load balancers. */
export interface Holding {
  key: string;
  creationTimestamp: string;
  ips: readonly string[];
  /** `nodes` or `pool/<name>`; undefined of addresses that are not from us, which nobody else may have all the same. */
  from: string | undefined;
  /** As in `80/TCP`. */
  ports: readonly string[];
}

export function holdingOf(service: Service): Holding {
  const { metadata, spec } = service;
  return {
    key: keyOf(service),
    creationTimestamp: String(metadata.creationTimestamp ?? ""),
    ips: balancerIps(service),
    from: metadata.annotations?.[BALANCED_FROM],
    ports: (spec?.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`),
  };
}

/** Of two that have the same the older one keeps it. */
export const isOlder = (a: Holding, b: Holding): boolean =>
  a.creationTimestamp === b.creationTimestamp ? a.key < b.key : a.creationTimestamp < b.creationTimestamp;
