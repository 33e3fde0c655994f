import { describe, expect, it } from "vitest";
import { DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import type { EndpointSlice, Endpoints, Service } from "../../../shared/api/types.ts";
import { type Current, decide } from "./decide.ts";

const network = DEFAULT_CLUSTER_NETWORK;
const ADDRESS = { ip: "192.0.2.7", port: 7443 };
const NOTHING: Current = { service: undefined, endpoints: undefined, slice: undefined };

/** What there is once a plan was carried out. */
function settled(address = ADDRESS): Current {
  const { service, endpoints, slice } = decide(NOTHING, { advertised: address, network });
  const objectOf = <T>(plan: { write: string; object?: T }) => plan.object;
  return {
    service: objectOf<Service>(service),
    endpoints: objectOf<Endpoints>(endpoints),
    slice: objectOf<EndpointSlice>(slice),
  };
}

it("makes what upstream's reconciler makes", () => {
  const { service, endpoints, slice } = settled();
  expect(service?.spec).toMatchObject({ clusterIP: "10.96.0.1", ports: [{ port: 443, targetPort: 7443 }] });
  expect(endpoints).toEqual({
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { "endpointslice.kubernetes.io/skip-mirror": "true" },
    },
    subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ name: "https", port: 7443, protocol: "TCP" }] }],
  });
  expect(slice).toEqual({
    metadata: { name: "kubernetes", namespace: "default", labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready: true } }],
    ports: [{ name: "https", port: 7443, protocol: "TCP" }],
  });
});

describe("what is there", () => {
  const there = settled();
  const edited = { ...there.endpoints!, subsets: [] };
  const unmarked = { ...there.endpoints!, metadata: { name: "kubernetes", labels: { own: "x" } } };
  const renamed = { ...there.slice!, ports: [] };
  it.each<{ name: string; current: Current; address: typeof ADDRESS | undefined; want: string[] }>([
    { name: "stays", current: there, address: ADDRESS, want: ["none", "none", "none"] },
    {
      name: "follows the address",
      current: there,
      address: { ...ADDRESS, ip: "192.0.2.8" },
      want: ["none", "update", "update"],
    },
    { name: "follows the port", current: there, address: { ...ADDRESS, port: 1 }, want: ["none", "update", "update"] },
    {
      name: "is put right",
      current: { ...there, endpoints: edited, slice: renamed },
      address: ADDRESS,
      want: ["none", "update", "update"],
    },
    {
      name: "is marked again",
      current: { ...there, endpoints: unmarked },
      address: ADDRESS,
      want: ["none", "update", "none"],
    },
    { name: "is made again", current: NOTHING, address: ADDRESS, want: ["create", "create", "create"] },
    {
      name: "changes its family",
      current: there,
      address: { ip: "2001:db8::7", port: 7443 },
      want: ["none", "update", "replace"],
    },
    { name: "stays without an address", current: there, address: undefined, want: ["none", "none", "none"] },
    {
      name: "is the Service alone without an address",
      current: NOTHING,
      address: undefined,
      want: ["create", "none", "none"],
    },
    {
      name: "is the Service alone on loopback",
      current: NOTHING,
      address: { ip: "127.0.0.1", port: 1 },
      want: ["create", "none", "none"],
    },
  ])("$name", ({ current, address, want }) => {
    const plan = decide(current, { advertised: address, network });
    expect([plan.service.write, plan.endpoints.write, plan.slice.write]).toEqual(want);
  });
});
