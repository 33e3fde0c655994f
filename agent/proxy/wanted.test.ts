import { expect, it } from "vitest";
import type { Service } from "../../shared/api/types.ts";
import type { Pieces } from "./table-sync.ts";
import { Wanted } from "./wanted.ts";

const INPUTS = {
  ...{ family: "ip" as const, local: [], place: { nodeName: "here", zone: "a" } },
  ...{ podCidrs: ["10.244.1.0/24"], nodeIp: "192.0.2.11" },
};
const ENDPOINTS = {
  metadata: { name: "s" },
  addressType: "IPv4",
  ports: [{ port: 53, protocol: "UDP" }],
  endpoints: [{ addresses: ["10.244.2.1"], nodeName: "there" }],
};

/** Its endpoints are elsewhere, which its load balancer is told. */
const local = (name: string): Service => ({
  metadata: { name, namespace: "shop" },
  spec: {
    ...{ type: "LoadBalancer", clusterIP: "10.96.0.7", externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 },
    ports: [{ port: 53, nodePort: 31_053, protocol: "UDP" }],
  },
});

function prepare() {
  const services = new Map([local("a"), local("b")].map((each) => [`shop/${each.metadata.name}`, each]));
  const wanted = new Wanted(
    { get: (key) => services.get(key), list: () => [...services.values()] },
    { slicesOf: () => [ENDPOINTS] },
  );
  const noted = () => [wanted.checks, wanted.withoutLocal, wanted.udp].map((of) => [...of.keys()].join());
  return { services, wanted, noted, pieces: wanted.pieces(INPUTS) };
}

const keysOf = (all: ReturnType<Pieces["all"]>) => [...all].map(([key]) => key);

it.each<{ name: string; tell: (pieces: Pieces) => void }>([
  { name: "it is asked for", tell: (pieces) => expect(pieces.of("shop/a")).toBeNull() },
  { name: "the whole is told", tell: (pieces) => expect(keysOf(pieces.all())).toEqual(["shop/b"]) },
])("nothing is left of a Service that is gone when $name", ({ tell }) => {
  const { services, pieces, noted } = prepare();
  expect(keysOf(pieces.all())).toEqual(["shop/a", "shop/b"]);
  expect(noted()).toEqual(["shop/a,shop/b", "shop/a,shop/b", "shop/a,shop/b"]);
  services.delete("shop/a");
  tell(pieces);
  expect(noted()).toEqual(["shop/b", "shop/b", "shop/b"]);
});

it("a Service is told as it is then", () => {
  const { services, pieces, wanted, noted } = prepare();
  expect(keysOf(pieces.all())).toHaveLength(2);
  wanted.udp.clear();
  services.set("shop/a", { ...local("a"), spec: { clusterIP: "None", ports: [{ port: 53, protocol: "UDP" }] } });
  expect(pieces.of("shop/a")).toBeNull();
  expect(noted()).toEqual(["shop/b", "shop/b", ""]);
});
