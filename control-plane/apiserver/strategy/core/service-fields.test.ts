import { expect, test } from "vitest";
import type { Service } from "../../../../shared/api/types.ts";
import { SERVICE_STRATEGY } from "./service.ts";

const service = (spec: Service["spec"]): Service => ({ metadata: { name: "s" }, spec });
const OLD = { type: "ClusterIP", clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"] };

test.each([
  { name: "nothing said: both stay", spec: { type: "ClusterIP" }, want: ["10.96.0.7", ["10.96.0.7"]] },
  { name: "only the first changed", spec: { type: "ClusterIP", clusterIP: "None" }, want: ["None", ["None"]] },
  {
    name: "only the first changed, the list left as it was",
    spec: { ...OLD, clusterIP: "10.96.0.8" },
    want: ["10.96.0.8", ["10.96.0.8"]],
  },
  {
    name: "a name elsewhere has none",
    spec: { type: "ExternalName", externalName: "a.b" },
    want: [undefined, undefined],
  },
])("cluster IPs of an update: $name", ({ spec, want }) => {
  const updated = service(spec);
  SERVICE_STRATEGY.prepareForUpdate?.(updated, service(OLD));
  expect([updated.spec.clusterIP, updated.spec.clusterIPs]).toEqual(want);
});
