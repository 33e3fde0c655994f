import type { Endpoint, Service } from "../../../shared/api/types.ts";

/**
 * Zone (and node) hints by spec.trafficDistribution. If one ready endpoint has no zone, nobody gets hints: traffic of
 * its zone would have nowhere to go (KEP-4444, KEP-3015).
 */
export function withHints(endpoints: Endpoint[], { spec }: Service): Endpoint[] {
  const distribution = spec?.trafficDistribution;
  const byZone = distribution === "PreferClose" || distribution === "PreferSameZone";
  const byNode = distribution === "PreferSameNode";
  if (!byZone && !byNode) return endpoints;
  if (endpoints.some(({ zone, conditions }) => !zone && conditions?.ready)) return endpoints;
  return endpoints.map((endpoint) =>
    endpoint.zone && endpoint.conditions?.ready
      ? {
          ...endpoint,
          hints: {
            forZones: [{ name: endpoint.zone }],
            ...(byNode && endpoint.nodeName ? { forNodes: [{ name: endpoint.nodeName }] } : {}),
          },
        }
      : endpoint,
  );
}
