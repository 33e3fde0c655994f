import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { BALANCED_FROM } from "../../shared/api/load-balancer.ts";
import type { EndpointSlice, Node, Service } from "../../shared/api/types.ts";
import { isAnnounced } from "../node/index.ts";
import { announce, type Machine } from "./announcer.ts";
import { type Announcement, decideAnnouncements, elect } from "./elect.ts";
import { renderGuard } from "./guard.ts";

const NAMES = ["n1", "n2", "n3"];

describe("elect", () => {
  const addresses = Array.from({ length: 300 }, (_, i) => `192.0.2.${i}`);

  it("spreads addresses over nodes, and moves none but those of the node that goes", () => {
    const before = addresses.map((address) => elect(NAMES, address));
    for (const name of NAMES) expect(before.filter((each) => each === name).length).toBeGreaterThan(60);
    const after = addresses.map((address) => elect(["n3", "n1"], address));
    for (const [i, name] of before.entries()) if (name !== "n2") expect(after[i]).toBe(name);
  });

  it("elects nobody of none", () => expect(elect([], "192.0.2.1")).toBeUndefined());
});

function node(name: string, { ready = "True", labels = {}, routes = "" } = {}): Node {
  return {
    metadata: { name, labels, annotations: { "hearth.dev/routes": routes } },
    spec: {},
    status: { conditions: [{ type: "Ready", status: ready }] as never },
  };
}

function balancer(address: string, spec: Service["spec"] = {}, from = "pool/lan"): Service {
  return {
    metadata: { name: "web", namespace: "default", uid: "u", annotations: { [BALANCED_FROM]: from } },
    spec: { type: "LoadBalancer", ...spec },
    status: { loadBalancer: { ingress: [{ ip: address, ipMode: "VIP" }] } },
  };
}

const slice = (...endpoints: [node: string, ready: boolean][]): EndpointSlice => ({
  metadata: { name: "web-x", namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  endpoints: endpoints.map(([nodeName, ready]) => ({ addresses: ["10.0.0.1"], nodeName, conditions: { ready } })),
});

describe("decideAnnouncements", () => {
  const excluded = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };
  const all = NAMES.map((name) => node(name));
  const winner = elect(NAMES, "192.0.2.9")!;
  const [second, third] = NAMES.filter((name) => name !== winner) as [string, string];
  const without = (traits: Parameters<typeof node>[1]) =>
    all.map((each) => (each.metadata.name === winner ? node(winner, traits) : each));
  const local = balancer("192.0.2.9", { externalTrafficPolicy: "Local" });

  it.each([
    { name: "one node of all", nodes: all, want: [winner] },
    {
      name: "another one when it is lost",
      nodes: without({ ready: "Unknown" }),
      want: [elect([second, third], "192.0.2.9")],
    },
    { name: "or excluded", nodes: without({ labels: excluded }), want: [elect([second, third], "192.0.2.9")] },
    { name: "nobody when all are lost", nodes: NAMES.map((name) => node(name, { ready: "False" })), want: [] },
    {
      name: "the node with the endpoint (Local)",
      service: local,
      nodes: all,
      slices: [slice([second, true], [winner, false])],
      want: [second],
    },
    { name: "nobody without endpoints (Local)", service: local, nodes: all, want: [] },
    {
      name: "one that is on the network",
      nodes: [node(winner, { routes: "10.0.0.0/8" }), node(second, { routes: "10.0.0.0/8,192.0.2.0/24" })],
      want: [second],
    },
    { name: "any where nobody is", nodes: without({ routes: "10.0.0.0/8" }), want: [winner] },
    { name: "nothing of the nodes' own addresses", service: balancer("192.0.2.9", {}, "nodes"), nodes: all, want: [] },
    {
      name: "nothing of somebody else's",
      service: { ...local, metadata: { name: "web", namespace: "default" } },
      nodes: all,
      want: [],
    },
  ])("$name", ({ service = balancer("192.0.2.9"), nodes, slices = [], want }) => {
    const announcing = NAMES.filter(
      (nodeName) => decideAnnouncements({ nodeName, services: [service], endpointSlices: slices, nodes }).length > 0,
    );
    expect(announcing).toEqual(want);
  });

  it("says whether somebody else could", () => {
    const decide = (nodes: Node[]) =>
      decideAnnouncements({ nodeName: winner, services: [balancer("192.0.2.9")], endpointSlices: [], nodes });
    const service = { namespace: "default", name: "web", uid: "u" };
    expect(decide(all)).toEqual([{ address: "192.0.2.9", service, hasRivals: true }]);
    expect(decide([node(winner)])).toEqual([{ address: "192.0.2.9", service, hasRivals: false }]);
  });
});

/** A machine in memory; what is done to it, in order. */
function memoryMachine(state: { guard?: string[]; addresses?: Record<string, string>; others?: string[] }) {
  const done: string[] = [];
  const addresses = new Map(Object.entries(state.addresses ?? {}));
  let guard = state.guard ?? [];
  const machine: Machine = {
    readGuard: async () => guard,
    async writeGuard(next) {
      guard = [...next];
      done.push(`guard ${guard.join(" ")}`.trim());
    },
    addresses: async () => new Map(addresses),
    async interfaceTowards(address) {
      if (address.startsWith("203.")) throw new Error("no route");
      return "eth0";
    },
    async claim(address, device, { isNew, isLeased, isChecked }) {
      done.push(
        [isNew ? "claim" : "renew", address, device, isLeased && "leased", isChecked && "checked"]
          .filter(Boolean)
          .join(" "),
      );
      addresses.set(address, device);
    },
    async withdraw(address) {
      done.push(`withdraw ${address}`);
      addresses.delete(address);
    },
    isAnsweredByOther: async (address) => state.others?.includes(address) ?? false,
    async tellNeighbours(address) {
      done.push(`tell ${address}`);
    },
  };
  return { machine, done };
}

const wanted = (address: string, hasRivals = true): Announcement => ({
  address,
  hasRivals,
  service: { namespace: "default", name: "web", uid: "u" },
});
const X = "192.0.2.9";

describe("announce", () => {
  it.each([
    { name: "nothing", want: [], wants: [], outcome: { held: 0, isPressing: false } },
    {
      name: "guarded before it is there, and told",
      wants: [wanted(X)],
      want: [`guard ${X}`, `claim ${X} eth0 leased`, `tell ${X}`],
      outcome: { held: 1, isPressing: true },
    },
    {
      name: "for good where nobody else could",
      wants: [wanted(X, false)],
      want: [`guard ${X}`, `claim ${X} eth0`, `tell ${X}`],
      outcome: { held: 1, isPressing: false },
    },
    {
      name: "renewed, with nothing told",
      guard: [X],
      addresses: { [X]: "eth0" },
      wants: [wanted(X)],
      want: [`renew ${X} eth0 leased`],
      outcome: { held: 1, isPressing: true },
    },
    {
      name: "put back when it is gone",
      guard: [X],
      wants: [wanted(X)],
      want: [`claim ${X} eth0 leased`, `tell ${X}`],
      outcome: { held: 1, isPressing: true },
    },
    {
      name: "guarded until it is gone",
      guard: [X],
      addresses: { [X]: "eth0" },
      wants: [],
      want: [`withdraw ${X}`, "guard"],
      outcome: { held: 0, isPressing: false },
    },
    {
      name: "one for another",
      guard: [X],
      addresses: { [X]: "eth0" },
      wants: [wanted("192.0.2.10")],
      want: [
        `guard 192.0.2.10 ${X}`,
        `withdraw ${X}`,
        "claim 192.0.2.10 eth0 leased",
        "tell 192.0.2.10",
        "guard 192.0.2.10",
      ],
      outcome: { held: 1, isPressing: true },
    },
    {
      name: "not the machine's own",
      addresses: { [X]: "eth0" },
      wants: [wanted(X)],
      want: [],
      outcome: { held: 0, isPressing: false },
    },
    {
      name: "one that leads nowhere holds up no other",
      wants: [wanted("203.0.113.1"), wanted(X)],
      want: [`guard ${X}`, `claim ${X} eth0 leased`, `tell ${X}`],
      outcome: { held: 1, isPressing: true },
    },
    {
      name: "taken from whoever has it, being sure",
      others: [X],
      wants: [wanted(X)],
      want: [`guard ${X}`, `claim ${X} eth0 leased`, `tell ${X}`],
      outcome: { held: 1, isPressing: true },
    },
    {
      name: "left to whoever has it, being cut off",
      isOld: true,
      others: [X],
      wants: [wanted(X)],
      want: [],
      outcome: { held: 0, isPressing: true },
    },
    {
      name: "given up to whoever took it meanwhile",
      isOld: true,
      others: [X],
      guard: [X],
      addresses: { [X]: "eth0" },
      wants: [wanted(X)],
      want: [`withdraw ${X}`, "guard"],
      outcome: { held: 0, isPressing: true },
    },
    {
      name: "taken when nobody has it, being cut off",
      isOld: true,
      wants: [wanted(X)],
      want: [`guard ${X}`, `claim ${X} eth0 leased checked`, `tell ${X}`],
      outcome: { held: 1, isPressing: true },
    },
  ])("$name", async ({ wants, want, outcome, isOld = false, ...state }) => {
    const { machine, done } = memoryMachine(state);
    const taken: string[] = [];
    const got = await announce({
      machine,
      wanted: () => wants,
      isCurrent: () => !isOld,
      onTaken: ({ address }) => void taken.push(address),
      log: () => undefined,
    });
    expect(done).toEqual(want);
    expect(got).toEqual(outcome);
    expect(taken).toEqual(want.flatMap((step) => (step.startsWith("tell ") ? [step.slice(5)] : [])));
    for (const address of [X, "192.0.2.10"])
      expect(isAnnounced(address)).toBe(wants.some((each) => each.address === address) && outcome.held > 0);
  });

  it("touches nothing before the objects are known", async () => {
    const { machine, done } = memoryMachine({ guard: [X], addresses: { [X]: "eth0" } });
    const options = { machine, isCurrent: () => false, onTaken: () => undefined, log: () => undefined };
    expect(await announce({ ...options, wanted: () => undefined })).toBeUndefined();
    expect(done).toEqual([]);
  });
});

describe("renderGuard", () => {
  it("is no table without addresses", () =>
    expect(renderGuard("i", [])).toBe("add table inet hearth-announce-i\ndelete table inet hearth-announce-i\n"));

  it.skipIf(process.getuid?.() !== 0).each([{ addresses: [] }, { addresses: [X] }, { addresses: ["fd00::1", X] }])(
    "is taken by nft: $addresses",
    ({ addresses }) => {
      const { status, stderr } = spawnSync("nft", ["-c", "-f", "-"], {
        input: renderGuard("t", addresses),
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    },
  );
});
