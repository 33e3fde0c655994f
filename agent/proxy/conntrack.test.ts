import { describe, expect, it } from "vitest";
import { parseFlow, staleFlows } from "./conntrack.ts";
import { planService } from "./plan.ts";

const LINE =
  "udp      17 29 src=10.244.1.5 dst=10.96.0.10 sport=40001 dport=53 [UNREPLIED] src=10.244.2.3 dst=10.244.1.5 sport=5353 dport=40001 mark=0 use=1";

it("reads a flow", () => {
  expect(parseFlow(LINE)).toEqual({
    destination: "10.96.0.10",
    port: "53",
    answerer: "10.244.2.3 5353",
  });
  for (const odd of ["", "conntrack v1.4.7", "tcp 6 1 src=1.2.3.4"]) expect(parseFlow(odd)).toBeUndefined();
});

it.each([
  { name: "an endpoint that is there", to: "10.96.0.10 53", endpoints: ["10.244.2.3 5353"], isStale: false },
  { name: "one that is gone", to: "10.96.0.10 53", endpoints: ["10.244.2.4 5353"], isStale: true },
  { name: "one whose port changed", to: "10.96.0.10 53", endpoints: ["10.244.2.3 53"], isStale: true },
  { name: "none any more", to: "10.96.0.10 53", endpoints: [], isStale: true },
  { name: "a Service that is another's business", to: "10.96.0.11 53", endpoints: [], isStale: false },
  { name: "a node port, whatever the address", to: "* 53", endpoints: [], isStale: true },
])("$name", ({ to, endpoints, isStale }) => {
  expect(staleFlows([parseFlow(LINE)!], [{ family: "ip", to, endpoints: new Set(endpoints) }])).toHaveLength(
    isStale ? 1 : 0,
  );
});

describe("flows of a Service may stay with", () => {
  const plan = (family: "ip" | "ip6") =>
    planService(
      {
        metadata: { name: "names", namespace: "shop" },
        spec: {
          type: "NodePort",
          clusterIP: "10.96.0.7",
          clusterIPs: ["10.96.0.7", "fd00::7"],
          ports: [{ port: 53, protocol: "UDP", nodePort: 30053 }],
          externalTrafficPolicy: "Local",
        },
      },
      {
        ...{ family, local: [], podCidrs: [], nodeIp: undefined, place: { nodeName: "here", zone: "" } },
        slices: (["IPv4", "IPv6"] as const).map((addressType) => ({
          metadata: { name: "s" },
          addressType,
          ports: [{ port: 5353, protocol: "UDP" }],
          endpoints: [
            { ready: true, serving: true, terminating: false },
            { ready: false, serving: true, terminating: true },
            { ready: false, serving: false, terminating: true },
          ].map((conditions, i) => ({
            addresses: [addressType === "IPv4" ? `10.244.2.${i}` : `fd01::${i + 1}`],
            conditions,
          })),
        })),
      },
    ).udp;

  it.each([
    { family: "ip" as const, at: "10.96.0.7 53", stay: ["10.244.2.0 5353", "10.244.2.1 5353"] },
    { family: "ip6" as const, at: "fd00::7 53", stay: ["fd01::1 5353", "fd01::2 5353"] },
  ])("whatever serves, on whichever node ($family)", ({ family, at, stay }) =>
    expect(plan(family)).toEqual([at, "* 30053"].map((to) => ({ family, to, endpoints: new Set(stay) }))),
  );
});
