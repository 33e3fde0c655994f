import { printMicroTime, printTime } from "../../shared/api/timestamp.ts";
import type { JsonClient } from "../../test/harness/json-client.ts";

/** As a kubelet renews its Lease. */
const RENEW_MS = 10_000;
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/** Nodes that are there as objects alone: Ready, with room for pods, their Leases renewed until `remove`. */
export class ObjectNodes {
  readonly #api: JsonClient;
  readonly names: readonly string[];
  /** As last answered: a kubelet sends back what it knows. */
  readonly #leases = new Map<string, Lease>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #isRemoved = false;

  constructor(api: JsonClient, count: number) {
    this.#api = api;
    this.names = Array.from({ length: count }, (_, i) => `bench-${i}`);
  }

  /** Resolves when pods may be placed on all of them: the node-lifecycle controller has taken the first taint away. */
  async create(): Promise<void> {
    await Promise.all(
      this.names.map(async (name) => {
        await this.#api.send("POST", "/api/v1/nodes", JSON.stringify(nodeBody(name)));
        this.#keep(name, await this.#api.send("POST", LEASES, JSON.stringify(leaseBody(name))));
      }),
    );
    this.#renewLater();
    while (!(await this.#areOpen())) await new Promise((resolve) => setTimeout(resolve, 250));
  }

  /** Lets go of them and of their Leases. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    await Promise.all(this.names.map((name) => this.#api.send("DELETE", `/api/v1/nodes/${name}`)));
    await Promise.all(this.names.map((name) => this.#api.send("DELETE", `${LEASES}/${name}`)));
  }

  async #areOpen(): Promise<boolean> {
    const { items } = JSON.parse(await this.#api.send("GET", "/api/v1/nodes")) as {
      items: { spec?: { taints?: unknown[] } }[];
    };
    return items.every(({ spec }) => (spec?.taints ?? []).length === 0);
  }

  #keep(name: string, lease: string): void {
    this.#leases.set(name, JSON.parse(lease) as Lease);
  }

  #renewLater(): void {
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renewAll();
    }, RENEW_MS);
  }

  async #renewAll(): Promise<void> {
    try {
      await Promise.all(this.names.map((name) => this.#renew(name)));
    } catch (error) {
      console.error("a node's Lease was not renewed:", error);
    }
    if (!this.#isRemoved) this.#renewLater();
  }

  async #renew(name: string): Promise<void> {
    const lease = this.#leases.get(name)!;
    lease.spec.renewTime = microTime();
    this.#keep(name, await this.#api.send("PUT", `${LEASES}/${name}`, JSON.stringify(lease)));
  }
}

type Lease = ReturnType<typeof leaseBody>;

function nodeBody(name: string): object {
  const now = printTime(Date.now());
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: "Bench",
    message: "",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  const amounts = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" } },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [
        condition("Ready", "True"),
        condition("MemoryPressure", "False"),
        condition("DiskPressure", "False"),
      ],
    },
  };
}

const leaseBody = (name: string) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: microTime(),
  },
});

const microTime = (): string => printMicroTime(Date.now());
