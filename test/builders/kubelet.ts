import type { Container, Pod } from "../../agent/api/index.ts";
import type { CgroupSettings } from "../../agent/cgroup/index.ts";
import { hashContainer } from "../../agent/kubelet/container-hash.ts";
import type { ObservedContainer, ObservedPod, ObservedSandbox } from "../../agent/kubelet/observed.ts";

/** A container as the API server hands it over; the image is `app:1` unless given. */
export const aContainer = (name: string, fields: Partial<Container> = {}): Container => ({
  name,
  image: "app:1",
  imagePullPolicy: "IfNotPresent",
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  resources: {},
  ...fields,
});

/** The pod `default/web-0`, uid `u1`, on node `n1`. */
export const aPod = (spec: Partial<Pod["spec"]> = {}, metadata: Partial<Pod["metadata"]> = {}): Pod => ({
  metadata: { name: "web-0", namespace: "default", uid: "u1", generation: 1, ...metadata },
  spec: {
    nodeName: "n1",
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    containers: [aContainer("main")],
    ...spec,
  },
});

export const aSandbox = (fields: Partial<ObservedSandbox> = {}): ObservedSandbox => ({
  id: "s0",
  attempt: 0,
  ready: true,
  createdAtMs: 1_000,
  hostNetwork: false,
  ips: ["10.244.0.5"],
  ...fields,
});

/** An instance that was made from `aContainer(name)`; its id is `<name>-<restartCount>`. */
export function anInstance(
  name: string,
  state: ObservedContainer["state"],
  fields: Partial<ObservedContainer> = {},
): ObservedContainer {
  const restartCount = fields.restartCount ?? 0;
  return {
    id: `${name}-${restartCount}`,
    name,
    sandboxId: "s0",
    state,
    createdAtMs: 2_000 + restartCount,
    startedAtMs: 3_000,
    finishedAtMs: state === "exited" ? 4_000 : 0,
    exitCode: 0,
    reason: state === "exited" ? "Completed" : "",
    message: "",
    image: "docker.io/library/app:1",
    imageRef: "sha256:1",
    imageId: "sha256:1",
    restartCount,
    hash: hashContainer(aContainer(name)),
    logPath: `/var/log/pods/default_web-0_u1/${name}/${restartCount}.log`,
    recursiveReadOnly: [],
    ...fields,
  };
}

export const observation = (containers: ObservedContainer[] = [], sandboxes = [aSandbox()]): ObservedPod => ({
  uid: "u1",
  name: "web-0",
  namespace: "default",
  sandboxes,
  containers,
});

/** A node of 2 CPUs and 8 GiB with cgroup v2, its configuration all defaults. */
export const cgroupSettings = (fields: Partial<CgroupSettings> = {}): CgroupSettings => ({
  version: 2,
  driver: "cgroupfs",
  root: [],
  memoryBytes: 8 * 2 ** 30,
  allocatable: { cpuMilli: 2000, memoryBytes: 8 * 2 ** 30, pids: 32_768 },
  reserved: [],
  swapBytes: 0,
  hugePageSizes: ["2MB"],
  enforcesCpuLimits: true,
  cpuPeriod: 100_000,
  podPidsLimit: -1,
  killsGroups: true,
  memoryThrottlingFactor: undefined,
  reservesMemory: false,
  swapBehavior: "NoSwap",
  ...fields,
});
