/** Run in a network namespace: the service proxy with so many Services. Each line on standard input is answered by one. */
import { createInterface } from "node:readline";
import { systemClock } from "../../agent/clock/index.ts";
import { createInformer } from "../../agent/informer/index.ts";
import type { FeedHandler } from "../../agent/kubelet/index.ts";
import type { Log } from "../../agent/log/index.ts";
import { projectEndpointSlice, projectNode, projectService } from "../../agent/network/project.ts";
import { type ProxyContext, startProxy } from "../../agent/proxy/index.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { ENDPOINT_SLICES, NODES, SERVICE_CIDRS, SERVICES } from "../../shared/api/refs.ts";
import type { ServiceCIDR } from "../../shared/api/types.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";
import { addressOf, benchService, benchSlice, NODE_NAME, type SERVERS } from "./objects.ts";

const count = Number(process.argv[2]);

/** A set of objects as the agent keeps it, told without an API. */
async function fed<T extends object>(ref: ResourceRef, project: (object: KubeObject) => T) {
  let handler!: FeedHandler;
  const informer = await createInformer<T>({
    ref,
    project,
    feed: (_ref, _options, told) => {
      handler = told;
    },
    memory: { remembered: async () => undefined, remember: async () => {} },
    clock: systemClock,
    log,
    signal,
  });
  return { informer, handler };
}

const log: Log = (level, message, fields) => console.error(level, message, JSON.stringify(fields ?? {}));
const { signal } = new AbortController();
const services = await fed(SERVICES, projectService);
const endpointSlices = await fed(ENDPOINT_SLICES, projectEndpointSlice);
const nodes = await fed(NODES, projectNode);
const serviceCidrs = await fed(SERVICE_CIDRS, (object) => object as unknown as ServiceCIDR);
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
  log,
  signal,
};

const commands: Record<string, (...args: string[]) => Promise<void>> = {
  async start() {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const address = { type: "InternalIP", address: "10.244.0.1" };
    nodes.handler.replace([
      { apiVersion: "v1", kind: "Node", metadata: { name: NODE_NAME }, status: { addresses: [address] } } as KubeObject,
    ]);
    services.handler.replace(numbers.map((index) => asTold(benchService(index, addressOf(index)))));
    endpointSlices.handler.replace(numbers.map((index) => asTold(benchSlice(index))));
    serviceCidrs.handler.replace([
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "ServiceCIDR",
        metadata: { name: "kubernetes" },
        spec: { cidrs: ["10.96.0.0/12"] },
      } as KubeObject,
    ]);
    await startProxy(context);
  },
  async change(index, lead) {
    endpointSlices.handler.upsert(asTold(benchSlice(Number(index), lead as keyof typeof SERVERS)));
  },
  async ready() {},
};

/** Every object is a text of its own when it comes from an API. */
const asTold = (object: object) => JSON.parse(JSON.stringify(object)) as KubeObject;

const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const [command, ...args] = line.split(" ");
  await commands[command!]!(...args);
  console.log("done");
});
lines.on("close", () => process.exit(0));
