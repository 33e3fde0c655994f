import type { JsonClient } from "../../test/harness/json-client.ts";

/** As a kubelet renews its Lease. */
const RENEW_MS = 10_000;
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/** Nodes that are there as objects alone: Ready, with room for pods, their Leases renewed until `remove`. */
export class ObjectNodes {
  readonly #api: JsonClient;
  readonly names: readonly string[];
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(api: JsonClient, count: number) {
    this.#api = api;
    this.names = Array.from({ length: count }, (_, i) => `bench-${i}`);
  }

  /** Resolves when pods may be placed on all of them: the node-lifecycle controller has taken the first taint away. */
  async create(): Promise<void> {
    await Promise.all(
      this.names.map(async (name) => {
        await this.#api.send("POST", "/api/v1/nodes", JSON.stringify(nodeBody(name)));
        await this.#api.send("POST", LEASES, JSON.stringify(leaseBody(name)));
      }),
    );
    this.#timer = setInterval(() => {
      this.#renewing = Promise.all(this.names.map((name) => this.#renew(name))).catch((error: unknown) =>
        console.error("a node's Lease was not renewed:", error),
      );
    }, RENEW_MS);
    while (!(await this.#areOpen())) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** Lets go of them and of their Leases. */
  async remove(): Promise<void> {
    clearInterval(this.#timer);
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

  async #renew(name: string): Promise<void> {
    const lease = JSON.parse(await this.#api.send("GET", `${LEASES}/${name}`)) as ReturnType<typeof leaseBody>;
    lease.spec.renewTime = microTime();
    await this.#api.send("PUT", `${LEASES}/${name}`, JSON.stringify(lease));
  }
}

function nodeBody(name: string): object {
  const now = new Date().toISOString().replace(/\.\d+Z/, "Z");
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

const microTime = (): string => new Date().toISOString().replace("Z", "000Z");
