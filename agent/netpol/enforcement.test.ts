import { expect, it } from "vitest";
import type { Namespace, NetworkPolicy, Pod } from "../../shared/api/types.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import type { Informer } from "../informer/index.ts";
import type { LocalPod, NetworkContext } from "../network/index.ts";
import { startEnforcement } from "./enforcement.ts";
import type { Nft } from "./table-keeper.ts";

class FakeInformer<T extends { metadata: { name?: string; namespace?: string } }> implements Informer<T> {
  readonly known = Promise.resolve();
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<(keys: ReadonlySet<string>) => void>();
  isKnown = () => true;
  isSynced = () => true;
  list = () => [...this.#objects.values()];
  get = (key: string) => this.#objects.get(key);
  onChange(listener: (keys: ReadonlySet<string>) => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  put(key: string, object: T) {
    this.#objects.set(key, object);
    for (const listener of this.#listeners) listener(new Set([key]));
  }
}

const pod = (name: string, nodeName: string, podIP: string): Pod =>
  ({
    metadata: { name, namespace: "x", uid: `uid-${name}`, labels: { app: name } },
    spec: { nodeName, containers: [] },
    status: { phase: "Running", podIP },
  }) as unknown as Pod;

async function prepare() {
  const applied: string[] = [];
  const nft: Nft = {
    applyRuleset: (text) => Promise.resolve(void applied.push(text)),
    listTable: () => Promise.resolve(undefined),
    countRules: () => Promise.resolve(undefined),
  };
  const pods = new FakeInformer<Pod>();
  const namespaces = new FakeInformer<Namespace>();
  const networkPolicies = new FakeInformer<NetworkPolicy>();
  const local = new Map<string, LocalPod>();
  networkPolicies.put("x/deny", { metadata: { namespace: "x", name: "deny" }, spec: {} } as unknown as NetworkPolicy);
  const context = {
    networkPolicies,
    namespaces,
    pods: () => Promise.resolve(pods),
    localPods: { get: (key: string) => local.get(key), list: () => [...local] },
    localEndpoints: { list: () => [] },
    localAddress: "169.254.40.7",
    bridgeName: "hearth-none",
    nodeName: "n1",
    podCidrs: () => ["10.0.0.0/24"],
    clock: new FakeClock(),
    log: () => {},
    signal: new AbortController().signal,
  } as unknown as NetworkContext;
  const enforcement = startEnforcement(context, { table: "t", nft, before: Promise.resolve() });
  return { enforcement, applied, pods, local };
}

it("has all in place when it says so, and follows pods", async () => {
  const { enforcement, applied, pods } = await prepare();
  pods.put("x/a", pod("a", "n1", "10.0.0.2"));
  await enforcement.settled();
  pods.put("x/b", pod("b", "n1", "10.0.0.3"));
  await enforcement.settled();
  expect(applied[0]).toMatch(/pods-ingress4 \{ 10\.0\.0\.2 : goto/);
  expect(applied[1]).toMatch(/pods-ingress4 \{ 10\.0\.0\.3 : goto/);
  expect(enforcement.isSelected("x/b")).toBe(true);
  await enforcement.stop();
});

it("takes the runtime's word for this node's pods, before the API has any and against it", async () => {
  const { enforcement, applied, pods, local } = await prepare();
  const kubelets = pod("a", "n1", "") as unknown as LocalPod["pod"];
  local.set("x/a", { pod: kubelets, ips: ["10.0.0.9"] });
  await enforcement.settled();
  expect(applied[0]).toMatch(/pods-ingress4 \{ 10\.0\.0\.9 : goto/);
  local.set("x/a", { pod: kubelets, ips: [] });
  pods.put("x/a", pod("a", "n1", "10.0.0.9"));
  await enforcement.settled();
  expect(applied[1]).toContain("delete element inet t pods-ingress4 { 10.0.0.9 }");
  await enforcement.stop();
});

it("writes nothing more once it is stopped: the table may be another's", async () => {
  const { enforcement, applied, pods } = await prepare();
  await enforcement.settled();
  await enforcement.stop();
  pods.put("x/a", pod("a", "n1", "10.0.0.2"));
  await expect(enforcement.settled()).rejects.toThrow();
  expect(applied).toHaveLength(1);
});
