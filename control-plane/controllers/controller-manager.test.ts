import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  EVENTS,
  NAMESPACES,
  PODS,
  REPLICA_SETS,
  SERVICES,
} from "../../shared/api/refs.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { ConfigMap, Deployment, EndpointSlice, Event, Pod, ReplicaSet, Service } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { bootstrapCluster } from "../apiserver/index.ts";
import { inProcessClient } from "../client/in-process.ts";
import type { Env } from "../env.ts";

const TRY_EVERY_MS = 20;
const GIVE_UP_MS = 20_000;

let api: ApiClient;
let namespace = "";

/** What `look` gives once it gives something. */
async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const startMs = Date.now();
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() - startMs > GIVE_UP_MS) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
  }
}

const pods = async () => (await api.listAll<Pod>(PODS, { namespace })).items;
const replicaSets = async () => (await api.listAll<ReplicaSet>(REPLICA_SETS, { namespace })).items;
const deployment = (name: string) => api.get<Deployment>(DEPLOYMENTS, name, namespace);

async function isGone(look: Promise<unknown>): Promise<boolean> {
  return look.then(
    () => false,
    (error: unknown) => {
      if (isNotFound(error)) return true;
      throw error;
    },
  );
}

const web = (name: string, replicas: number): Deployment =>
  ({
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "c", image: "example.test/img:a" }] },
      },
    },
  }) as Deployment;

beforeAll(async () => {
  const cluster = `controllers-${crypto.randomUUID().slice(0, 8)}`;
  const bindings = env as unknown as Env;
  await bindings.CLUSTERS.getByName(cluster).create(cluster, { advertised: { ip: "192.0.2.7", port: 7443 } });
  await bootstrapCluster(bindings, cluster);
  api = inProcessClient(bindings, cluster, "admin");
  namespace = "work";
  await api.create(NAMESPACES, { metadata: { name: namespace } });
});

describe("the controllers, over a real API", () => {
  it("give a namespace its ServiceAccount and the cluster's CA", async () => {
    const configMap = await until("kube-root-ca.crt", () =>
      api.get<ConfigMap>(CONFIG_MAPS, "kube-root-ca.crt", namespace).catch(() => undefined),
    );
    expect(configMap.data?.["ca.crt"]).toMatch(/^-----BEGIN CERTIFICATE-----/);
  });

  it("turn a Deployment into a ReplicaSet and pods, and tell of it", async () => {
    await api.create(DEPLOYMENTS, web("web", 3));
    await until("three pods", async () => (await pods()).length === 3);
    const [rs] = await replicaSets();
    expect(rs?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
      "deployment.kubernetes.io/revision": "1",
    });
    const done = await until("the revision", async () => {
      const d = await deployment("web");
      return d.metadata.annotations?.["deployment.kubernetes.io/revision"] === "1" && d.status?.replicas === 3 && d;
    });
    expect(done.status).toMatchObject({ observedGeneration: 1, updatedReplicas: 3, unavailableReplicas: 3 });
    const events = await until("events", async () => {
      const { items } = await api.listAll<Event>(EVENTS, { namespace });
      return items.some(({ reason }) => reason === "ScalingReplicaSet") && items;
    });
    expect(events.map(({ message }) => message)).toContain(`Scaled up replica set ${rs?.metadata.name} from 0 to 3`);
    expect(done.metadata.managedFields?.map(({ manager }) => manager)).toContain("kube-controller-manager");
  });

  it("scale, replace and count pods", async () => {
    for (const { metadata } of await pods()) {
      const condition = { type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" };
      const status = { phase: "Running", conditions: [condition] };
      await api.patch(PODS, { name: metadata.name, namespace, subresource: "status" }, "strategic", { status });
    }
    const ready = await until("all ready", async () => {
      const d = await deployment("web");
      return d.status?.availableReplicas === 3 && d.status.conditions?.[1]?.reason === "NewReplicaSetAvailable" && d;
    });
    expect(ready.status?.conditions).toMatchObject([
      { type: "Available", status: "True" },
      { type: "Progressing", status: "True" },
    ]);
    await api.patch(DEPLOYMENTS, { name: "web", namespace }, "merge", { spec: { replicas: 1 } });
    await until("one pod", async () => (await pods()).length === 1);
    const [last] = await pods();
    await api.delete(PODS, { name: last?.metadata.name ?? "", namespace });
    await until("another pod", async () => {
      const now = await pods();
      return now.length === 1 && now[0]?.metadata.uid !== last?.metadata.uid;
    });
  });

  it("publish the endpoints of a Service", async () => {
    const service = { metadata: { name: "web", namespace }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } };
    await api.create<Service>(SERVICES, service as Service);
    const slice = await until("a slice", async () => {
      const { items } = await api.listAll<EndpointSlice>(ENDPOINT_SLICES, { namespace });
      return items[0];
    });
    expect(slice.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(slice.metadata.labels).toMatchObject({ "kubernetes.io/service-name": "web" });
  });

  it("keep the endpoints of the API itself", async () => {
    const endpointsOf = async () =>
      (await api.get<EndpointSlice>(ENDPOINT_SLICES, "kubernetes", "default").catch(() => undefined))?.endpoints;
    await until("the slice", endpointsOf);
    await api.delete(ENDPOINT_SLICES, { name: "kubernetes", namespace: "default" });
    expect(await until("the slice again", endpointsOf)).toEqual([
      { addresses: ["192.0.2.7"], conditions: { ready: true } },
    ]);
    await api.delete(SERVICES, { name: "kubernetes", namespace: "default" });
    const service = await until("the Service again", () =>
      api.get<Service>(SERVICES, "kubernetes", "default").catch(() => undefined),
    );
    expect(service.spec).toMatchObject({ clusterIP: "10.96.0.1", ports: [{ port: 443, targetPort: 7443 }] });
  });

  it("take everything along when the Deployment is deleted", async () => {
    await api.delete(DEPLOYMENTS, { name: "web", namespace }, { propagationPolicy: "Background" });
    await until("no ReplicaSet and no pod", async () => (await replicaSets()).length + (await pods()).length === 0);
  });

  it("hold a Deployment back that is deleted in the foreground until its pods are gone", async () => {
    await api.create(DEPLOYMENTS, web("fore", 2));
    await until("pods", async () => (await pods()).length === 2);
    await api.delete(DEPLOYMENTS, { name: "fore", namespace }, { propagationPolicy: "Foreground" });
    await until("no Deployment", () => isGone(deployment("fore")));
    expect(await pods()).toEqual([]);
  });

  it("empty a namespace and let it go", async () => {
    await api.create(DEPLOYMENTS, web("last", 2));
    await until("pods", async () => (await pods()).length === 2);
    await api.delete(NAMESPACES, { name: namespace });
    await until("no namespace", () => isGone(api.get(NAMESPACES, namespace)));
    expect(await pods()).toEqual([]);
    expect((await api.listAll(CONFIG_MAPS, { namespace })).items).toEqual([]);
  });
});
