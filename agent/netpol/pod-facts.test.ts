import { describe, expect, it } from "vitest";
import { type PodLike, podFacts } from "./pod-facts.ts";

const facts = (pod: Partial<PodLike>, told?: string[]) =>
  podFacts(
    { metadata: { namespace: "x" }, spec: { nodeName: "n1", containers: [] }, ...pod },
    { nodeName: "n1", ...(told && { told }) },
  );
const texts = (pod: Partial<PodLike>, told?: string[]) => facts(pod, told).addresses.map(({ text }) => text);

describe("podFacts", () => {
  it.each<[string, Partial<PodLike>, string[] | undefined, string[]]>([
    [
      "both families",
      { status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "FD00::0:1" }] } },
      undefined,
      ["10.0.0.1", "fd00::1"],
    ],
    ["the one of an old status", { status: { podIP: "10.0.0.1" } }, undefined, ["10.0.0.1"]],
    ["what the runtime says, whatever was reported", { status: { podIP: "10.0.0.1" } }, ["10.0.0.2"], ["10.0.0.2"]],
    ["none when its sandbox is stopped", { status: { podIP: "10.0.0.1" } }, [], []],
    ["none of a pod that has ended", { status: { phase: "Succeeded", podIP: "10.0.0.1" } }, undefined, []],
    ["none of what failed", { status: { phase: "Failed", podIP: "10.0.0.1" } }, ["10.0.0.1"], []],
    [
      "none in the node's network",
      { spec: { hostNetwork: true, containers: [] }, status: { podIP: "192.0.2.1" } },
      undefined,
      [],
    ],
    ["none of what is no address", { status: { podIP: "10.0.0.1; flush ruleset" } }, undefined, []],
  ])("addresses: %s", (_name, pod, told, want) => expect(texts(pod, told)).toEqual(want));

  it("named ports are those of containers and sidecars, not of what only begins", () => {
    const port = (name: string, containerPort: number) => ({ ports: [{ name, containerPort }] });
    const { namedPorts } = facts({
      spec: {
        containers: [
          port("web", 80),
          { ports: [{ containerPort: 81 }, { name: "dns", containerPort: 53, protocol: "UDP" }] },
        ],
        initContainers: [port("init", 82), { ...port("side", 83), restartPolicy: "Always" }],
      },
    });
    expect(namedPorts.map(({ name, protocol, port }) => `${name} ${protocol} ${port}`)).toEqual([
      "web TCP 80",
      "dns UDP 53",
      "side TCP 83",
    ]);
  });

  it("is of this node by its spec, or by the runtime's word", () => {
    expect([facts({}).isLocal, facts({ spec: { nodeName: "n2", containers: [] } }).isLocal]).toEqual([true, false]);
    expect(facts({ spec: { containers: [] } }, ["10.0.0.1"]).isLocal).toBe(true);
  });
});
