import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { GROUPS } from "../../../shared/schema/index.ts";
import type { Env } from "../../env.ts";
import { testApi } from "../testing/api.ts";
import { bootstrapCluster } from "./index.ts";

/** Upstream's aggregator does not register itself. */
const UNREGISTERED = "v1.apiregistration.k8s.io";

async function bootstrapped() {
  const api = testApi();
  await bootstrapCluster(env as unknown as Env, api.cluster);
  const names = async (path: string) => (await api.get(path)).body.items.map(({ metadata }) => metadata.name);
  return { api, names };
}

test("every version that is served has an APIService, which is available", async () => {
  const { api, names } = await bootstrapped();
  const served = GROUPS.flatMap(({ name, versions }) => versions.map((version) => `${version}.${name}`));
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  expect(await names(path)).toEqual(served.filter((name) => name !== UNREGISTERED).sort());
  const { metadata } = (await api.get(`${path}/v1.`)).body;
  expect(metadata.managedFields).toMatchObject([{ manager: "kube-apiserver" }]);
  const table = await api.get(`${path}/v1.apps`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
  expect(table.body.rows).toMatchObject([{ cells: ["v1.apps", "Local", "True", expect.any(String)] }]);
});

test("upstream's levels and schemas of fairness are there", async () => {
  const { names } = await bootstrapped();
  const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
  expect(await names(`${group}/prioritylevelconfigurations`)).toContain("catch-all");
  expect(await names(`${group}/flowschemas`)).toHaveLength(11);
});

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

test("upstream's default roles and bindings are there, and get back what they lack", async () => {
  const api = testApi();
  const refs = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  await api.post(`${RBAC}/clusterroles`, { metadata: { name: "system:basic-user", annotations: { mine: "yes" } } });
  await api.post(`${RBAC}/clusterrolebindings`, { metadata: { name: "system:discovery" }, roleRef: refs });
  await bootstrapCluster(env as unknown as Env, api.cluster);
  const basic = (await api.get(`${RBAC}/clusterroles/system:basic-user`)).body;
  expect(basic.metadata.annotations).toMatchObject({ mine: "yes" });
  expect(basic.metadata.labels).toEqual({ "kubernetes.io/bootstrapping": "rbac-defaults" });
  expect(basic.rules).toHaveLength(3);
  const discovery = (await api.get(`${RBAC}/clusterrolebindings/system:discovery`)).body;
  expect(discovery.roleRef).toMatchObject({ name: "system:discovery" });
  expect((await api.get(`${RBAC}/clusterroles/edit`)).body).toMatchObject({
    metadata: { labels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" } },
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" } }],
    },
  });
  expect((await api.get(`${RBAC}/namespaces/kube-public/rolebindings`)).body.items).toHaveLength(1);
});

test("what is there already stays as it is", async () => {
  const api = testApi();
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const spec = { group: "apps", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 };
  await api.post(path, { metadata: { name: "v1.apps" }, spec });
  await bootstrapCluster(env as unknown as Env, api.cluster);
  expect((await api.get(`${path}/v1.apps`)).body.spec).toEqual(spec);
  expect((await api.get(`${path}/v2.autoscaling`)).code).toBe(200);
});

test("so does the Service of the API, with the address that it has taken", async () => {
  const api = testApi();
  const path = "/api/v1/namespaces/default/services";
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  const spec = { clusterIP: "10.96.0.1", ports: [{ port: 8443 }] };
  expect((await api.post(path, { metadata: { name: "kubernetes" }, spec })).code).toBe(201);
  await bootstrapCluster(env as unknown as Env, api.cluster);
  expect((await api.get(`${path}/kubernetes`)).body.spec).toMatchObject({ ports: [{ port: 8443 }] });
  expect((await api.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes")).body.status).toMatchObject({
    conditions: [{ type: "Ready", status: "True" }],
  });
});

test("the Service of the API has the front door's port, and the API server a Lease that is always fresh", async () => {
  const api = testApi();
  await bootstrapCluster(env as unknown as Env, api.cluster, { apiPort: 7443 });
  const { body: service } = await api.get("/api/v1/namespaces/default/services/kubernetes");
  expect(service.spec).toMatchObject({
    clusterIPs: ["10.96.0.1"],
    ipFamilies: ["IPv4"],
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 7443 }],
  });
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  const [lease] = (await api.get(`${leases}?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver`)).body.items;
  expect(lease?.metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 3600 });
  const renewed = async () =>
    Date.parse(((await api.get(`${leases}/${lease?.metadata.name}`)).body.spec as { renewTime: string }).renewTime);
  const first = await renewed();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await renewed()).toBeGreaterThan(first);
});

test("CTL-08: shows who leads, renewed whenever it is looked at", async () => {
  const api = testApi();
  await bootstrapCluster(env as unknown as Env, api.cluster);
  for (const name of ["kube-controller-manager", "kube-scheduler"]) {
    const { body } = await api.get(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`);
    const spec = body.spec as { holderIdentity: string; leaseDurationSeconds: number; renewTime: string };
    expect(spec.holderIdentity).toMatch(/^.+_[0-9a-f-]{36}$/);
    expect(Date.now() - Date.parse(spec.renewTime)).toBeLessThan(spec.leaseDurationSeconds * 1000);
  }
});

test("the range of Services' addresses is shown, and gets a second family in place", async () => {
  const api = testApi();
  const path = "/apis/networking.k8s.io/v1/servicecidrs/kubernetes";
  const seen = async () => {
    const { metadata, spec, status } = (await api.get(path)).body;
    return { uid: metadata.uid, cidrs: (spec as { cidrs: string[] }).cidrs, status };
  };
  const dual = {
    clusterCidrs: ["10.244.0.0/16", "fd00:10:244::/48"],
    serviceCidrs: ["10.96.0.0/16", "fd00:10:96::/112"],
  };
  const ready = { conditions: [expect.objectContaining({ type: "Ready", status: "True" })] };
  await bootstrapCluster(env as unknown as Env, api.cluster);
  const first = await seen();
  expect(first).toMatchObject({ cidrs: ["10.96.0.0/16"], status: ready });
  await bootstrapCluster(env as unknown as Env, api.cluster, { network: dual });
  expect(await seen()).toMatchObject({ uid: first.uid, cidrs: dual.serviceCidrs, status: ready });
  const other = { ...dual, serviceCidrs: ["10.96.0.0/16", "fd00:10:97::/112"] };
  await bootstrapCluster(env as unknown as Env, api.cluster, { network: other });
  expect(await seen()).toMatchObject({ uid: first.uid, cidrs: dual.serviceCidrs, status: ready });
});
