import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { projectEndpointSlice, projectService, withoutBookkeeping } from "./project.ts";

const metadata = {
  name: "web",
  namespace: "shop",
  uid: "u",
  resourceVersion: "7",
  labels: { app: "web" },
  annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", "hearth.dev/x": "y" },
  managedFields: [{ manager: "kubectl" }],
};

it("objects lose what only their writers need", () => {
  const kept = withoutBookkeeping<KubeObject>({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: {},
  } as KubeObject);
  const { managedFields: _, ...others } = metadata;
  expect(kept).toEqual({
    ...{ apiVersion: "v1", kind: "ConfigMap", data: {} },
    metadata: { ...others, annotations: { "hearth.dev/x": "y" } },
  });
});

it("a Service keeps what leads to it", () => {
  const spec = { clusterIP: "10.96.0.7", ports: [{ port: 80 }] };
  const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] }, conditions: [] };
  expect(projectService({ metadata, spec, status } as unknown as KubeObject)).toEqual({
    metadata: {
      ...{ name: "web", namespace: "shop", uid: "u", resourceVersion: "7", labels: { app: "web" } },
      annotations: { "hearth.dev/x": "y" },
    },
    spec,
    status: { loadBalancer: status.loadBalancer },
  });
});

describe("a slice", () => {
  const endpoint = {
    addresses: ["10.244.1.2"],
    conditions: { ready: true, serving: true, terminating: false },
    hints: { forZones: [{ name: "a" }] },
    hostname: "web-0",
    nodeName: "n1",
    zone: "a",
  };
  const slice = (...endpoints: object[]) =>
    projectEndpointSlice({ metadata, addressType: "IPv4", endpoints, ports: [{ port: 80 }] } as unknown as KubeObject);

  it("keeps where its endpoints are, not which pods they are", () => {
    const { endpoints, ports } = slice(
      { ...endpoint, targetRef: { kind: "Pod", name: "web-0" } },
      { addresses: ["::1"] },
    );
    expect(endpoints).toEqual([endpoint, { addresses: ["::1"] }]);
    expect(ports).toEqual([{ port: 80 }]);
  });

  it("tells conditions that are not said from those that are false", () => {
    const conditions = [{ ready: false }, {}, { ready: false, serving: false }, { ready: null }];
    expect(slice(...conditions.map((each) => ({ addresses: [], conditions: each }))).endpoints).toEqual(
      conditions.map((each) => ({ addresses: [], conditions: each })),
    );
  });

  it("keeps when it was asked for, of its annotations", () => {
    const at = { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" };
    const annotations = { ...metadata.annotations, ...at };
    const kept = projectEndpointSlice({ metadata: { ...metadata, annotations }, addressType: "IPv4" } as KubeObject);
    expect(kept.metadata.annotations).toEqual(at);
    expect(slice().metadata.annotations).toBeUndefined();
  });
});
