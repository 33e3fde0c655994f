import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { type NodeFields, PLAYED, PlayedNodes } from "../harness/played-nodes.ts";
import { waitFor } from "../harness/wait-for.ts";
import { all, type Manifest, manifest, object } from "./manifests.ts";

// One test after the other on a cluster of their own: what the scheduler says counts all nodes there are.
let cluster: OwnCluster;
let nodes: PlayedNodes;
let work: Workspace;
let kubectl: Kubectl;
let present: string[] = [];

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  [nodes, work] = await Promise.all([PlayedNodes.start(cluster), Workspace.create(cluster, "scheduling")]);
  kubectl = work.kubectl;
});

afterEach(async () => {
  await kubectl.run("delete", "deployments,pods", "--all", "--grace-period=0", "--force");
  await nodes.remove(...present);
  present = [];
});

afterAll(async () => {
  await nodes?.stop();
  work?.remove();
  await cluster?.remove();
});

const addNodes = (wanted: Record<string, NodeFields>) => {
  present = Object.keys(wanted);
  return Promise.all(Object.entries(wanted).map(([name, fields]) => nodes.add(name, fields)));
};

interface PodFields extends Manifest {
  requests?: Record<string, string>;
}

/** A pod that nothing is done with once it is bound. */
const template = (name: string, { requests, ...spec }: PodFields = {}) => ({
  metadata: { labels: { app: name }, annotations: { [PLAYED]: "waits" } },
  spec: { containers: [{ name: "main", image: "app:1", resources: { requests } }], ...spec },
});
const pod = (name: string, fields: PodFields = {}) => {
  const { metadata, spec } = template(name, fields);
  return object("v1", "Pod", { name, ...metadata }, { spec });
};
const pods = (count: number, name: string, fields: PodFields = {}) =>
  all(...Array.from({ length: count }, (_, n) => pod(`${name}-${n}`, fields)));
const deployment = (name: string, replicas: number, fields: PodFields = {}) =>
  manifest("apps/v1", "Deployment", name, {
    replicas,
    selector: { matchLabels: { app: name } },
    template: template(name, fields),
  });

const list = async (...args: string[]) => (await kubectl.json<{ items: Pod[] }>("get", "pods", ...args)).items;
/** The nodes of all pods, or of those of a label, sorted, when each of them has one. */
const placed = (count: number, ...args: string[]) =>
  waitFor(`${count} pods to be bound`, async () => {
    const names = (await list(...args)).map(({ spec }) => spec.nodeName ?? "");
    return names.length === count && names.every(Boolean) && names.sort();
  });
const nodeOf = async (name: string) => (await placed(1, "--field-selector", `metadata.name=${name}`))[0];
const eventsOf = (name: string) => kubectl.run("events", "--for", `pod/${name}`);
/** Waits until the scheduler has said so of a pod that fits nowhere. */
const refused = (name: string, wanted: string | RegExp) =>
  waitFor(`${name} to be refused: ${wanted}`, async () => {
    const said = [...(await eventsOf(name)).matchAll(/Warning +FailedScheduling +Pod\/\S+ +(.*)\n/g)].map(
      (row) => row[1]!,
    );
    if (said.some((text) => (typeof wanted === "string" ? text === wanted : wanted.test(text)))) return true;
    throw new Error(`it was told: ${said.join("; ")}`);
  });
const unavailable = (reasons: string, preemption = "Preemption is not helpful for scheduling", count = 1) =>
  `0/${count} nodes are available: ${reasons}. no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} ${preemption}.`;
const NO_VICTIMS = "No preemption victims found for incoming pod";

const tolerates = (key: string) => ({ tolerations: [{ key, operator: "Exists" }] });
const hasZone = (zone: string): NodeFields => ({ labels: { "topology.kubernetes.io/zone": zone } });
const spreadOverZones = (app: string) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app } },
    },
  ],
});
const apartByHost = (app: string) => ({
  labelSelector: { matchLabels: { app } },
  topologyKey: "kubernetes.io/hostname",
});

describe("a pod's way to its node", () => {
  it("waits while no node fits, and is bound when one does; the rest is not the scheduler's (SCH-01, SCH-17, SCH-18, SCH-20)", async () => {
    await addNodes({ only: { taints: [{ key: "dedicated", value: "backend", effect: "NoSchedule" }] } });
    await kubectl.apply(all(pod("web"), pod("other", { schedulerName: "another" })));
    await refused("web", unavailable("1 node(s) had untolerated taint(s)"));
    expect((await kubectl.json<Pod>("get", "pod", "web")).status).toMatchObject({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
    });
    expect(await kubectl.run("taint", "node", "only", "dedicated-")).toBe("node/only untainted\n");
    expect(await nodeOf("web")).toBe("only");
    const { status } = await kubectl.json<Pod>("get", "pod", "web");
    expect(status).toMatchObject({ phase: "Pending", conditions: [{ type: "PodScheduled", status: "True" }] });
    expect(status).not.toHaveProperty("containerStatuses");
    const events = await waitFor("the event of the binding", async () => {
      const text = await eventsOf("web");
      return text.includes("Normal") && text;
    });
    expect(events.split("\n").map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ["TYPE", "REASON", "OBJECT", "MESSAGE"],
      ["Warning", "FailedScheduling", "Pod/web", unavailable("1 node(s) had untolerated taint(s)")],
      ["Normal", "Scheduled", "Pod/web", "Successfully assigned scheduling/web to only"],
      [],
    ]);

    // Another scheduler's pod is left to that one, which binds it by the same subresource.
    expect((await kubectl.json<Pod>("get", "pod", "other")).spec.nodeName).toBeUndefined();
    const target = { apiVersion: "v1", kind: "Node", name: "only" };
    const binding = object("v1", "Binding", { name: "other" }, { target });
    const path = `/api/v1/namespaces/${work.namespace}/pods/other/binding`;
    expect((await kubectl.finish(["create", "--raw", path, "-f", "-"], binding)).code).toBe(0);
    expect(await nodeOf("other")).toBe("only");
    expect(await kubectl.run("events", "--for", "pod/other")).toBe("");
  });
});

describe("filters", () => {
  it("a node that one of them refuses is never chosen (SCH-02)", async () => {
    await addNodes({
      good: { labels: { disk: "ssd" } },
      slow: { labels: { disk: "hdd" } },
      small: { labels: { disk: "ssd" }, resources: { cpu: "50m" } },
      tainted: { labels: { disk: "ssd" }, taints: [{ key: "a", effect: "NoSchedule" }] },
      cordoned: { labels: { disk: "ssd" } },
    });
    await kubectl.run("cordon", "cordoned");
    await kubectl.apply(pods(8, "web", { nodeSelector: { disk: "ssd" }, requests: { cpu: "100m" } }));
    expect(await placed(8)).toEqual(Array(8).fill("good"));
  });

  it("each has its reason (SCH-03, SCH-19)", async () => {
    await addNodes({ only: { ...hasZone("a"), taints: [{ key: "only", effect: "NoSchedule" }] } });
    const port = (name: string) =>
      pod(name, {
        ...tolerates("only"),
        containers: [{ name: "main", image: "app:1", ports: [{ containerPort: 80, hostPort: 8080 }] }],
      });
    await kubectl.apply(port("port"));
    expect(await nodeOf("port")).toBe("only");
    const claim = { accessModes: ["ReadWriteOnce"], storageClassName: "by-hand" };
    const volume = { capacity: { storage: "1Gi" }, hostPath: { path: "/elsewhere" }, ...claim };
    const metadata = { name: "elsewhere", labels: { "topology.kubernetes.io/zone": "b" } };
    await kubectl.apply(
      all(
        object("v1", "PersistentVolume", metadata, { spec: volume }),
        manifest("v1", "PersistentVolumeClaim", "data", { ...claim, resources: { requests: { storage: "1Gi" } } }),
      ),
    );
    await kubectl.run("wait", "pvc/data", "--for=jsonpath={.status.phase}=Bound", "--timeout=60s");
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await kubectl.apply(
      all(
        pod("large", { ...tolerates("only"), requests: { cpu: "5" } }),
        pod("disk", { ...tolerates("only"), requests: { "ephemeral-storage": "21Gi" } }),
        pod("intolerant"),
        pod("choosy", { ...tolerates("only"), nodeSelector: { disk: "ssd" } }),
        port("port-too"),
        pod("volume", { ...tolerates("only"), volumes }),
      ),
    );
    await refused("large", unavailable("1 Insufficient cpu"));
    await refused("disk", unavailable("1 Insufficient ephemeral-storage"));
    await refused("intolerant", unavailable("1 node(s) had untolerated taint(s)"));
    await refused("choosy", unavailable("1 node(s) didn't match Pod's node affinity/selector"));
    await refused("port-too", unavailable("1 node(s) didn't have free ports for the requested pod ports", NO_VICTIMS));
    await refused("volume", unavailable("1 node(s) had no available volume zone"));
    await kubectl.run("cordon", "only");
    await kubectl.apply(pod("late", tolerates("only")));
    await refused("late", unavailable("1 node(s) were unschedulable"));
  });

  it("requests count, not what is used (SCH-07), and those of a pod are KEP-753's (SCH-16)", async () => {
    await addNodes({ only: { resources: { cpu: "1", memory: "2Gi" } } });
    await kubectl.apply(pods(5, "busy"));
    await placed(5);
    const migrate = { name: "migrate", image: "billing:1.8.0" };
    const agent = {
      name: "otel-agent",
      image: "otel:0.135.0",
      restartPolicy: "Always",
      resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "128Mi" } },
    };
    const app = {
      name: "app",
      image: "billing:1.8.0",
      resources: {
        requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "100Mi" },
        limits: { cpu: "1", memory: "256Mi", "ephemeral-storage": "1Gi" },
      },
    };
    await kubectl.apply(pod("billing", { initContainers: [migrate, agent], containers: [app] }));
    expect(await nodeOf("billing")).toBe("only");
    expect(await kubectl.run("describe", "node", "only")).toContain(`Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests    Limits
  --------           --------    ------
  cpu                300m (30%)  1 (100%)
  memory             192Mi (9%)  384Mi (18%)
  ephemeral-storage  100Mi (0%)  1Gi (5%)
`);
    const heavy = { ...migrate, resources: { requests: { memory: "2Gi" } } };
    await kubectl.apply(
      all(
        pod("exactly", { requests: { cpu: "700m" } }), // what 300m left of it, beside the five without any
        pod("migrating", { initContainers: [heavy, agent], containers: [app] }),
      ),
    );
    expect(await nodeOf("exactly")).toBe("only");
    await refused("migrating", /^0\/1 nodes are available: 1 Insufficient (cpu, 1 Insufficient )?memory\./);
    await nodes.add("second", { resources: { cpu: "300m", memory: "2Gi" } });
    present.push("second");
    expect(await nodeOf("migrating")).toBe("second");
    expect(await kubectl.run("describe", "node", "second")).toMatch(/^ {2}memory +2Gi \(100%\) /m);
  });
});

describe("scores", () => {
  it("of equal nodes each gets its share, by chance (SCH-04)", async () => {
    const resources = { cpu: "10000", memory: "64Ti", pods: "200" }; // so large that a pod changes no score
    await addNodes({ one: { resources }, two: { resources } });
    await kubectl.apply(pods(20, "web"));
    expect(new Set(await placed(20))).toEqual(new Set(["one", "two"]));
  });

  it("a node that has the image wins, and one whose use stays balanced (SCH-06)", async () => {
    const images = [{ names: ["app:1"], sizeBytes: 900_000_000 }];
    await addNodes({
      with: { images },
      without: {},
      lopsided: { labels: { a: "b" } },
      balanced: { labels: { a: "b" } },
    });
    await kubectl.apply(
      all(
        pod("half", { nodeName: "lopsided", requests: { cpu: "2" } }), // both are used to a quarter
        pod("quarters", { nodeName: "balanced", requests: { cpu: "1", memory: "2Gi" } }),
        pod("image"),
        pod("balance", { nodeSelector: { a: "b" }, requests: { cpu: "1", memory: "2Gi" } }),
      ),
    );
    expect(await nodeOf("image")).toBe("with");
    expect(await nodeOf("balance")).toBe("balanced");
  });

  it("replicas are spread over hosts, pods of their own are not (SCH-06, SCH-15)", async () => {
    await addNodes({ large: { resources: { cpu: "64", memory: "128Gi" } }, small: {} });
    const requests = { cpu: "100m", memory: "200Mi" };
    await kubectl.apply(pods(4, "alone", { requests }));
    expect(await placed(4)).toEqual(Array(4).fill("large"));
    await kubectl.apply(deployment("web", 4, { requests }));
    expect(await placed(4, "-l", "app=web")).toEqual(["large", "large", "small", "small"]);
  });

  it("a pod without requests weighs 100m and 200Mi (SCH-08)", async () => {
    await addNodes({ one: {}, two: {} });
    await kubectl.apply(
      all(
        pod("without", { nodeName: "one" }),
        pod("with", { nodeName: "two", requests: { cpu: "50m", memory: "100Mi" } }),
      ),
    );
    await placed(2);
    await kubectl.apply(pods(1, "next"));
    expect(await nodeOf("next-0")).toBe("two");
  });
});

describe("taints", () => {
  it("a toleration permits and does not attract (SCH-09)", async () => {
    const taints = [{ key: "dedicated", value: "backend", effect: "NoSchedule" }];
    await addNodes({ backend: { taints, labels: { pool: "backend" } }, ordinary: {} });
    await kubectl.apply(pod("load", { nodeName: "backend", requests: { cpu: "1" } }));
    const requirement = { matchExpressions: [{ key: "pool", operator: "In", values: ["backend"] }] };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [requirement] } };
    await kubectl.apply(
      all(
        pod("billing", tolerates("dedicated")),
        pod("exclusive", { ...tolerates("dedicated"), affinity: { nodeAffinity: required } }),
      ),
    );
    expect(await nodeOf("billing")).toBe("ordinary");
    expect(await nodeOf("exclusive")).toBe("backend");
  });

  it("three effects: not here, rather not here, and away from here (SCH-10)", async () => {
    await addNodes({ soft: { taints: [{ key: "a", effect: "PreferNoSchedule" }] }, plain: {} });
    await kubectl.apply(pod("load", { nodeName: "plain", requests: { cpu: "1" } }));
    await kubectl.apply(pod("rather"));
    expect(await nodeOf("rather")).toBe("plain");
    await kubectl.run("taint", "node", "plain", "b=c:NoSchedule");
    await kubectl.apply(pod("nevertheless"));
    expect(await nodeOf("nevertheless")).toBe("soft");
    expect(await nodeOf("rather")).toBe("plain"); // it runs on
    await kubectl.run("taint", "node", "plain", "b=c:NoExecute");
    await kubectl.run("wait", "pod/rather", "--for=delete", "--timeout=60s");
    expect(await kubectl.run("events", "--for", "pod/rather")).toMatch(
      /Normal +TaintManagerEviction +Pod\/rather +Marking for deletion Pod scheduling\/rather\n/,
    );
  });
});

describe("affinity and spreading", () => {
  it("hard anti-affinity leaves the third of two nodes' pods pending (SCH-11)", async () => {
    await addNodes({ one: {}, two: {} });
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [apartByHost("apart")] };
    await kubectl.apply(deployment("apart", 3, { affinity: { podAntiAffinity } }));
    const pending = await waitFor("one that is pending", async () => {
      const found = await list();
      const left = found.filter(({ spec }) => !spec.nodeName);
      return found.length === 3 && left.length === 1 && left[0]?.metadata.name;
    });
    await refused(pending, unavailable("2 node(s) didn't match pod anti-affinity rules", NO_VICTIMS, 2));
  });

  it("soft anti-affinity keeps nothing off the only node (SCH-12)", async () => {
    await addNodes({ only: {} });
    const preference = { weight: 100, podAffinityTerm: apartByHost("dns") };
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [preference] };
    await kubectl.apply(deployment("dns", 2, { affinity: { podAntiAffinity } }));
    expect(await placed(2)).toEqual(["only", "only"]);
    await nodes.add("second");
    present.push("second");
    await kubectl.run("scale", "deployment/dns", "--replicas=3");
    expect(await placed(3)).toEqual(["only", "only", "second"]);
  });

  it("spreads over zones, of which no domain may get ahead (SCH-13)", async () => {
    await addNodes({ "a-1": hasZone("a"), "a-2": hasZone("a"), "b-1": hasZone("b") });
    await kubectl.apply(deployment("spread", 4, spreadOverZones("spread")));
    const zones = (await placed(4)).map((name) => name[0]);
    expect(zones).toEqual(["a", "a", "b", "b"]);
    await kubectl.run("cordon", "b-1");
    await kubectl.run("scale", "deployment/spread", "--replicas=6");
    const pending = await waitFor("one that is pending", async () => {
      const found = await list();
      const left = found.filter(({ spec }) => !spec.nodeName);
      return found.length === 6 && left.length === 1 && left[0]?.metadata.name;
    });
    await refused(
      pending,
      /^0\/3 nodes are available: 1 node\(s\) were unschedulable, 2 node\(s\) didn't match pod topology spread constraints\. /,
    );
  });

  it("a zone is needed where pods are spread over zones (SCH-14)", async () => {
    await addNodes({ one: {}, two: {} });
    await kubectl.apply(deployment("spread", 2, spreadOverZones("spread")));
    const names = await waitFor("two pods", async () => {
      const found = await list();
      return found.length === 2 && found.map(({ metadata }) => metadata.name);
    });
    for (const name of names) {
      await refused(
        name,
        unavailable("2 node(s) didn't match pod topology spread constraints (missing required label)", undefined, 2),
      );
    }
  });
});

describe("profiles", () => {
  it("a profile's pods fill a node before they take the next, while it is configured (SCH-04)", async () => {
    await addNodes({ one: {}, two: {} });
    const profile = {
      schedulerName: "packing",
      pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAllocated" } } }],
      plugins: { score: { disabled: [{ name: "*" }], enabled: [{ name: "NodeResourcesFit" }] } },
    };
    const configuration = {
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      profiles: [{ schedulerName: "default-scheduler" }, profile],
    };
    const requests = { cpu: "100m", memory: "100Mi" };
    const configMap = { name: "hearth-scheduler", namespace: "kube-system" };
    await kubectl.apply(pods(4, "packed", { requests, schedulerName: "packing" }));
    expect((await list()).filter(({ spec }) => spec.nodeName)).toEqual([]);
    await kubectl.apply(
      object("v1", "ConfigMap", configMap, { data: { "config.yaml": JSON.stringify(configuration) } }),
    );
    expect(new Set(await placed(4)).size).toBe(1);
    await kubectl.run("delete", "configmap", "hearth-scheduler", "-n", "kube-system");
  });
});

describe("devices", () => {
  const devices = (name: string, fields: Record<string, number>) => ({
    name,
    attributes: Object.fromEntries(Object.entries(fields).map(([key, int]) => [key, { int }])),
  });
  const slice = object(
    "resource.k8s.io/v1",
    "ResourceSlice",
    { name: "two-cards" },
    {
      spec: {
        driver: "card.example.com",
        nodeName: "two",
        pool: { name: "two", generation: 1, resourceSliceCount: 1 },
        devices: [devices("small", { size: 1 }), devices("large", { size: 8 })],
      },
    },
  );
  const expression = 'device.attributes["card.example.com"].size >= 4';
  const request = { name: "card", exactly: { deviceClassName: "cards", selectors: [{ cel: { expression } }] } };
  const template = object(
    "resource.k8s.io/v1",
    "ResourceClaimTemplate",
    { name: "large" },
    { spec: { spec: { devices: { requests: [request] } } } },
  );
  const wants = { resourceClaims: [{ name: "card", resourceClaimTemplateName: "large" }] };

  it("a pod goes where a device is that its claim selects, another when that is given back (SCH-02)", async () => {
    await addNodes({ one: {}, two: {} });
    await kubectl.apply(
      all(object("resource.k8s.io/v1", "DeviceClass", { name: "cards" }, { spec: {} }), slice, template),
    );
    await kubectl.apply(pod("first", wants));
    expect(await nodeOf("first")).toBe("two");
    const path =
      "jsonpath={.items[*].status.allocation.devices.results[*].device} {.items[*].status.reservedFor[*].name}";
    expect(await kubectl.run("get", "resourceclaims", "-o", path)).toBe("large first");
    await kubectl.apply(pod("second", wants));
    await refused(
      "second",
      "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, " +
        "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    );
    await kubectl.run("delete", "pod", "first", "--grace-period=0", "--force");
    expect(await nodeOf("second")).toBe("two");
    await kubectl.run("delete", "pod", "second", "--grace-period=0", "--force");
    await waitFor("the claims to go", async () => (await kubectl.run("get", "resourceclaims", "-o", "name")) === "");
    await kubectl.run("delete", "resourceslice/two-cards", "deviceclass/cards");
  });
});
