import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { EndpointSlice, Pod, Service } from "../../../shared/api/types.ts";
import { clientFor, type JsonClient } from "../../harness/json-client.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { Caller } from "../caller/index.ts";
import { type NetworkLab, NODE_NAMES } from "../network-lab.ts";
import { clientPod, FAST_PORT, NAMESPACE, serverPod, service, slice } from "./objects.ts";

const run = promisify(execFile);

/** Addresses that no machine has: for a Service's external ones. Those outside reach them through node-2. */
export const EXTERNAL_ADDRESSES = "198.51.100.0/24";

/**
 * What the suites of Services share on the lab's three nodes: two pods that answer, on node-1 and node-2 (none on node-3);
 * a pod that asks on node-1 and on node-3; callers in these four pods' networks, on the nodes, and outside of the cluster.
 */
export class ServiceLab {
  readonly lab: NetworkLab;
  readonly #client: JsonClient;
  readonly pods = {} as Record<"web-1" | "web-2" | "client-1" | "client-3", Caller>;
  readonly nodes: Caller[] = [];
  outside!: Caller;
  /** Addresses of the machine outside: the first is its main one. */
  readonly outsideAddresses: string[];
  readonly addresses = {} as Record<"web-1" | "web-2" | "client-1" | "client-3", string>;
  #fences = 0;

  private constructor(lab: NetworkLab) {
    this.lab = lab;
    this.#client = clientFor(lab.cluster.kubeconfigFile, 16);
    const prefix = lab.node(1).address.replace(/\.\d+$/, "");
    this.outsideAddresses = Array.from({ length: 30 }, (_, index) => `${prefix}.${100 + index}`);
  }

  static async build(lab: NetworkLab): Promise<ServiceLab> {
    const built = new ServiceLab(lab);
    await lab.kubectl.run("create", "namespace", NAMESPACE);
    await lab.kubectl.apply(
      [
        serverPod("web-1", "node-1", { app: "web", one: "web-1" }),
        serverPod("web-2", "node-2", { app: "web", one: "web-2" }),
        clientPod("client-1", "node-1"),
        clientPod("client-3", "node-3"),
      ].join(""),
    );
    await built.#buildOutside();
    for (const [index, name] of NODE_NAMES.entries()) {
      built.nodes.push(new Caller(name, `/run/netns/${lab.node((index + 1) as 1 | 2 | 3).netns}`));
    }
    const names = ["web-1", "web-2", "client-1", "client-3"] as const;
    await lab.kubectl.run("wait", "-n", NAMESPACE, "--for=condition=Ready", "pod", ...names, "--timeout=120s");
    await Promise.all(
      names.map(async (name) => {
        built.pods[name] = await built.callerIn(name);
        built.addresses[name] = (await built.get<Pod>(`/api/v1/namespaces/${NAMESPACE}/pods/${name}`)).status!.podIP!;
      }),
    );
    for (const server of [built.pods["web-1"], built.pods["web-2"]]) {
      await server.listen({ address: "0.0.0.0", port: FAST_PORT });
      await server.listen({ protocol: "UDP", address: "0.0.0.0", port: FAST_PORT });
    }
    return built;
  }

  async remove(): Promise<void> {
    await Promise.all([...Object.values(this.pods), ...this.nodes, this.outside].map((caller) => caller?.end()));
    await run("ip", ["netns", "delete", this.#outsideNetns]);
    await this.lab.kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
    await this.#client.close();
  }

  get #outsideNetns(): string {
    return `${this.lab.lab.bridge}out`;
  }

  async #buildOutside(): Promise<void> {
    const netns = this.#outsideNetns;
    const [address, ...others] = this.outsideAddresses as [string, ...string[]];
    const ip = (command: string) => run("ip", command.split(" "));
    await ip(`netns add ${netns}`);
    await this.lab.lab.plug(netns, { port: `${this.lab.lab.bridge}o`, address });
    for (const other of others) await ip(`-n ${netns} addr add ${other}/24 dev eth0`);
    await ip(`-n ${netns} route add ${EXTERNAL_ADDRESSES} via ${this.lab.node(2).address}`);
    this.outside = new Caller("outside", `/run/netns/${netns}`);
  }

  /** A caller in the network of a pod's first container. */
  async callerIn(pod: string): Promise<Caller> {
    const { spec, status } = await this.get<Pod>(`/api/v1/namespaces/${NAMESPACE}/pods/${pod}`);
    const node = this.lab.lab.nodes.find(({ name }) => name === spec!.nodeName)!;
    const id = status!.containerStatuses![0]!.containerID!.replace("containerd://", "");
    const tasks = await node.execute("ctr", ["-a", node.runtimeSocket, "-n", "k8s.io", "tasks", "list"]);
    const [, pid] = tasks
      .split("\n")
      .map((line) => line.split(/\s+/))
      .find(([task]) => task === id)!;
    return new Caller(pod, `/proc/${pid}/ns/net`);
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.#client.send("GET", path)) as T;
  }

  /** @returns what the API made of them */
  create<T extends Service | EndpointSlice>(...objects: T[]): Promise<T[]> {
    return Promise.all(
      objects.map(async (object) =>
        JSON.parse(await this.#client.send("POST", collection(object), JSON.stringify(object))),
      ),
    );
  }

  /** A Service and its endpoints made by hand. @returns the Service */
  async createWithSlice(object: Service, endpoints: EndpointSlice): Promise<Service> {
    const [made] = await Promise.all([this.create(object), this.create(endpoints)]);
    return made[0]!;
  }

  /** @param patch a merge patch */
  async patch<T extends Service | EndpointSlice>(object: T, patch: object, subresource = ""): Promise<T> {
    const path = `${collection(object)}/${object.metadata.name}${subresource}`;
    const headers = { "content-type": "application/merge-patch+json" };
    const response = await this.#client.open("PATCH", path, JSON.stringify(patch), undefined, headers);
    const text = await response.text();
    if (!response.ok) throw new Error(`PATCH ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  async delete(object: Service | EndpointSlice): Promise<void> {
    await this.#client.send("DELETE", `${collection(object)}/${object.metadata.name}`);
  }

  /** Settles when a Service with a selector has just these pods as ready endpoints. */
  async endpoints(name: string, ...pods: string[]): Promise<void> {
    await waitFor(`the endpoints of ${name}`, async () => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices?labelSelector=kubernetes.io/service-name%3D${name}`;
      const { items } = await this.get<{ items: EndpointSlice[] }>(path);
      const ready = items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready)
        .map(({ targetRef }) => targetRef?.name);
      return items.length > 0 && ready.sort().join() === pods.sort().join();
    });
  }

  /**
   * Settles when every node has done what was asked for before: a Service made now is there on all of them. So whatever a
   * test sees after that is no matter of time.
   */
  async fence(): Promise<void> {
    const name = `fence-${++this.#fences}`;
    const fence = service(name, {});
    const made = await this.createWithSlice(fence, slice(name, [{ addresses: [this.addresses["web-1"]] }]));
    const target = { address: clusterIp(made), port: 80 };
    await Promise.all(
      this.nodes.map((node) =>
        waitFor(
          `${name} on ${node.name}`,
          async () => (await node.ask({ ...target, timeoutMs: 300 })).startsWith("web-1"),
          {
            intervalMs: 30,
            timeoutMs: 60_000,
          },
        ),
      ),
    );
    await this.delete(fence);
  }

  /** The keys of a map of the service proxy, `address protocol port`, with what they lead to. @param node from 1 */
  async map(name: string, node: 1 | 2 | 3 = 1): Promise<Record<string, string>> {
    const out = await this.lab.node(node).execute("nft", ["-j", "list", "map", "ip", "kube-proxy", name]);
    const { nftables } = JSON.parse(out) as { nftables: { map?: { elem?: [NftKey, object][] } }[] };
    const elements = nftables.find((item) => item.map)?.map?.elem ?? [];
    return Object.fromEntries(elements.map(([key, verdict]) => [renderKey(key), JSON.stringify(verdict)]));
  }
}

interface NftKey {
  concat?: (string | number)[];
  elem?: { val: NftKey };
}

const renderKey = (key: NftKey): string => (key.elem ? renderKey(key.elem.val) : (key.concat ?? [key]).join(" "));

const collection = ({ kind }: Service | EndpointSlice) =>
  kind === "Service"
    ? `/api/v1/namespaces/${NAMESPACE}/services`
    : `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;

export const clusterIp = ({ spec }: Service): string => spec!.clusterIP!;
export const nodePort = ({ spec }: Service): number => spec!.ports![0]!.nodePort!;
