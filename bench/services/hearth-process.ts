/** Run in a network namespace: the service proxy with so many Services. Each line on standard input is answered by one. */
import { createInterface } from "node:readline";
import { systemClock } from "../../agent/clock/index.ts";
import { type Informer, keyOf } from "../../agent/informer/index.ts";
import { type ProxyContext, startProxy } from "../../agent/proxy/index.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import type { EndpointSlice, Node, Service, ServiceCIDR } from "../../shared/api/types.ts";
import { addressOf, benchService, benchSlice, NODE_NAME, type SERVERS } from "./objects.ts";

const count = Number(process.argv[2]);

/** A set of objects that tells its changes as the agent's does, without an API. */
class Fed<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<(keys: ReadonlySet<string>) => void>();
  readonly informer: Informer<T> = {
    isKnown: () => true,
    isSynced: () => true,
    known: Promise.resolve(),
    list: () => [...this.#objects.values()],
    get: (key) => this.#objects.get(key),
    onChange: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  put(...objects: T[]): void {
    for (const object of objects) this.#objects.set(keyOf(object), object);
    const keys = new Set(objects.map(keyOf));
    for (const listener of this.#listeners) listener(keys);
  }
}

const services = new Fed<Service & KubeObject>();
const endpointSlices = new Fed<EndpointSlice & KubeObject>();
const nodes = new Fed<Node & KubeObject>();
const serviceCidrs = new Fed<ServiceCIDR & KubeObject>();
const context: ProxyContext = {
  instance: "bench",
  nodeName: NODE_NAME,
  podCidrs: () => ["10.244.0.0/24"],
  onPodCidrs: () => {},
  services: services.informer,
  endpointSlices: endpointSlices.informer,
  nodes: nodes.informer,
  serviceCidrs: serviceCidrs.informer,
  localEndpoints: { list: () => [], set: () => {}, onChange: () => {} },
  clock: systemClock,
  log: (level, message, fields) => console.error(level, message, JSON.stringify(fields ?? {})),
  signal: new AbortController().signal,
};

const commands: Record<string, (...args: string[]) => Promise<void>> = {
  async start() {
    nodes.put({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: NODE_NAME },
      status: { addresses: [{ type: "InternalIP", address: "10.244.0.1" }] },
    } as Node & KubeObject);
    const numbers = Array.from({ length: count }, (_, index) => index);
    services.put(...(numbers.map((index) => benchService(index, addressOf(index))) as (Service & KubeObject)[]));
    endpointSlices.put(...(numbers.map((index) => benchSlice(index)) as (EndpointSlice & KubeObject)[]));
    serviceCidrs.put({
      apiVersion: "networking.k8s.io/v1",
      kind: "ServiceCIDR",
      metadata: { name: "kubernetes" },
      spec: { cidrs: ["10.96.0.0/12"] },
    });
    await startProxy(context);
  },
  async change(index, lead) {
    endpointSlices.put(benchSlice(Number(index), lead as keyof typeof SERVERS) as EndpointSlice & KubeObject);
  },
  async ready() {},
};

const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const [command, ...args] = line.split(" ");
  await commands[command!]!(...args);
  console.log("done");
});
lines.on("close", () => process.exit(0));
