import { describe, expect, it } from "vitest";
import { DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import { defaultServiceCidr, ipAddressFor } from "../../../shared/api/service-cidr.ts";
import type { IPAddress, Service } from "../../../shared/api/types.ts";
import { type AddressPlan, type AddressRepair, decideAddress, decideService } from "./decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString();

const service = (name: string, address: string, spec: Partial<Service["spec"]> = {}): Service => ({
  metadata: { name, namespace: "default", creationTimestamp: ago(600) },
  spec: { clusterIP: address, clusterIPs: [address], type: "ClusterIP", ...spec },
});
const web = service("web", "10.96.7.7");
const of = (owner: Service, seconds = 600, address = "10.96.7.7"): IPAddress => {
  const made = ipAddressFor(address, owner);
  return { ...made, metadata: { ...made.metadata, creationTimestamp: ago(seconds) } };
};
const gateway: IPAddress = {
  metadata: { name: "10.96.7.7", creationTimestamp: ago(600) },
  spec: { parentRef: { group: "example.com", resource: "gateways", name: "g" } },
};

describe("a Service", () => {
  const WRONG = "the ClusterIP [IPv4]: 10.96.7.7 for Service default/web has a wrong reference; repairing";
  const replaced: AddressRepair[] = [
    { address: "10.96.7.7", step: "replace", warning: { reason: "ClusterIPNotAllocated", message: WRONG } },
  ];
  it.each<{ name: string; service?: Service; address?: IPAddress; others?: Service[]; want: AddressRepair[] }>([
    { name: "that its IPAddress names is right", address: of(web), want: [] },
    { name: "without an address needs none", service: service("web", "None"), want: [] },
    { name: "that is a name needs none", service: service("web", "10.96.7.7", { type: "ExternalName" }), want: [] },
    {
      name: "gets the one that is missing",
      want: [
        {
          address: "10.96.7.7",
          step: "create",
          warning: {
            reason: "ClusterIPNotAllocated",
            message: "Cluster IP [IPv4]: 10.96.7.7 is not allocated; repairing",
          },
        },
      ],
    },
    { name: "takes its address back from a Gateway", address: gateway, want: replaced },
    { name: "takes it from a Service that is gone", address: of(service("old", "10.96.7.7")), want: replaced },
    {
      name: "takes it from a Service that has another one",
      address: of(service("old", "10.96.7.7")),
      others: [service("old", "10.96.7.8")],
      want: replaced,
    },
    {
      name: "cannot have what another Service has",
      address: of(service("old", "10.96.7.7")),
      others: [service("old", "10.96.7.7")],
      want: [
        {
          address: "10.96.7.7",
          step: "none",
          warning: {
            reason: "ClusterIPAlreadyAllocated",
            message: "Cluster IP [IPv4]:10.96.7.7 was assigned to multiple services; please recreate service",
          },
        },
      ],
    },
    {
      name: "gets one with the right labels",
      address: { ...of(web), metadata: { ...of(web).metadata, labels: {} } },
      want: [{ address: "10.96.7.7", step: "replace" }],
    },
    {
      name: "outside of all ranges has to be made again",
      service: service("web", "203.0.113.7"),
      want: [
        {
          address: "203.0.113.7",
          step: "none",
          warning: {
            reason: "ClusterIPOutOfRange",
            message:
              "Cluster IP [IPv4]: 203.0.113.7 is not within any configured Service CIDR; please recreate service",
          },
        },
      ],
    },
  ])("$name", ({ service = web, address, others = [], want }) => {
    const serviceOf = ({ name }: { name?: string }) => others.find(({ metadata }) => metadata.name === name);
    expect(
      decideService(service, {
        cidrs: [defaultServiceCidr(DEFAULT_CLUSTER_NETWORK)],
        addressOf: () => address,
        serviceOf,
      }),
    ).toEqual(want);
  });
});

describe("an IPAddress", () => {
  const removed = (reason: string, message: string): AddressPlan => ({ step: "remove", warning: { reason, message } });
  it.each<{ name: string; address: IPAddress; service?: Service; want: AddressPlan }>([
    { name: "that a Service has stays", address: of(web), service: web, want: { step: "keep" } },
    { name: "of another maker stays", address: gateway, want: { step: "keep" } },
    {
      name: "waits for its Service",
      address: of(web, 20),
      want: { step: "keep", recheckAfterMs: 40_001 },
    },
    {
      name: "goes when the Service never came",
      address: of(web, 61),
      want: removed(
        "IPAddressNotAllocated",
        "IPAddress: 10.96.7.7 for Service default/web appears to have leaked: cleaning up",
      ),
    },
    {
      name: "goes when it was made to name something else",
      address: { ...of(web), spec: gateway.spec },
      want: removed(
        "IPAddressNotAllocated",
        "IPAddress 10.96.7.7 appears to have been modified, not referencing a Service &ParentReference{Group:example.com,Resource:gateways,Namespace:,Name:g,}: cleaning up",
      ),
    },
    {
      name: "goes when the Service has another address",
      address: of(web),
      service: service("web", "10.96.7.8"),
      want: removed(
        "IPAddressWrongReference",
        "IPAddress: 10.96.7.7 for Service default/web has a wrong reference; cleaning up",
      ),
    },
    {
      name: "waits for a Service that is about to have one",
      address: of(web, 10),
      service: service("web", "", { type: "ExternalName" }),
      want: { step: "keep", recheckAfterMs: 50_000 },
    },
    {
      name: "waits for a write that was refused to give it back",
      address: of(web, 2),
      service: service("web", "10.96.7.8"),
      want: { step: "keep", recheckAfterMs: 5_000 },
    },
  ])("$name", ({ address, service, want }) => expect(decideAddress(address, service, NOW_MS)).toEqual(want));
});
