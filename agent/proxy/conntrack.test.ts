import { expect, it } from "vitest";
import { parseFlow, staleFlows } from "./conntrack.ts";

const LINE =
  "udp      17 29 src=10.244.1.5 dst=10.96.0.10 sport=40001 dport=53 [UNREPLIED] src=10.244.2.3 dst=10.244.1.5 sport=5353 dport=40001 mark=0 use=1";

it("reads a flow", () => {
  expect(parseFlow(LINE)).toEqual({
    source: "10.244.1.5",
    destination: "10.96.0.10",
    sourcePort: "40001",
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
  expect(staleFlows([parseFlow(LINE)!], [{ to, endpoints: new Set(endpoints) }])).toHaveLength(isStale ? 1 : 0);
});
