import { parseAmounts, printAmounts } from "../../shared/api/pod-requests.ts";
import { compareQuantities, subtractQuantities, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { Node, NodeCondition, NodeStatus } from "../../shared/api/types.ts";
import type { Image, RuntimeHandler, RuntimeReport, RuntimeVersion } from "../cri/index.ts";
import type { MachineFacts } from "./machine.ts";
import { ROUTES_ANNOTATION } from "./routes.ts";

/** Upstream's nodeStatusMaxImages. */
const MAX_IMAGES = 50;
const MAX_NAMES_PER_IMAGE = 5;
const MAX_PODS = 110;
/** Where a kubelet would listen. Ours is reached through the tunnel; clients print it. */
const KUBELET_PORT = 10_250;

export interface NodeInputs {
  nodeName: string;
  machine: MachineFacts;
  /** The primary one first. */
  addresses: readonly string[];
  /** `v1.36.2+hearth.0.1.0` */
  kubeletVersion: string;
  runtime: RuntimeVersion | undefined;
  images: Image[];
  abilities: Pick<RuntimeReport, "runtimeHandlers" | "features">;
  conditions: NodeCondition[];
  /** What pods may not have; several reserves add up. */
  reserved: Record<string, string>[];
}

/** The Node as it is registered. @param routes what the machine reaches without it (readRoutes) */
export function renderNode(inputs: NodeInputs, routes: string[]): Node {
  const { nodeName } = inputs;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeName,
      labels: renderLabels(inputs),
      annotations: {
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        ...(routes.length > 0 && { [ROUTES_ANNOTATION]: routes.join(",") }),
      },
    },
    spec: {},
    status: renderStatus(inputs),
  };
}

/** The labels that a kubelet keeps right, also on a Node that was there before. */
export function renderLabels({ nodeName, machine }: Pick<NodeInputs, "nodeName" | "machine">): Record<string, string> {
  return {
    "beta.kubernetes.io/arch": machine.architecture,
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": machine.architecture,
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": "linux",
  };
}

/** What is new in this kubelet that pods may need, in alphabetical order. */
const DECLARED_FEATURES = ["RestartAllContainersOnContainerExits"];

export function renderStatus({
  nodeName,
  machine,
  addresses,
  kubeletVersion,
  runtime,
  images,
  abilities,
  conditions,
  reserved,
}: NodeInputs): NodeStatus {
  const capacity = renderCapacity(machine);
  return {
    addresses: [
      ...addresses.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: nodeName },
    ],
    // Memory in huge pages is not there for anything else.
    allocatable: withoutReserves(capacity, [...reserved, ...hugepageReserves(machine)]),
    capacity,
    conditions,
    // Pods that need them go to no other nodes (KEP-5328).
    declaredFeatures: DECLARED_FEATURES,
    daemonEndpoints: { kubeletEndpoint: { Port: KUBELET_PORT } },
    ...(abilities.features && { features: abilities.features }),
    images: renderImages(images),
    nodeInfo: {
      architecture: machine.architecture,
      bootID: machine.bootId,
      containerRuntimeVersion: runtime ? `${runtime.runtimeName}://${runtime.runtimeVersion.replace(/^v/, "")}` : "",
      kernelVersion: machine.kernelVersion,
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: machine.machineId,
      operatingSystem: "linux",
      osImage: machine.osImage,
      ...(machine.swapBytes > 0 ? { swap: { capacity: machine.swapBytes } } : {}),
      systemUUID: machine.systemUuid,
    },
    ...(abilities.runtimeHandlers.length > 0 && { runtimeHandlers: renderHandlers(abilities.runtimeHandlers) }),
  };
}

function renderCapacity(machine: MachineFacts): Record<string, string> {
  const capacity: Record<string, string> = {
    cpu: machine.cpuMilli % 1000 === 0 ? String(machine.cpuMilli / 1000) : `${machine.cpuMilli}m`,
    "ephemeral-storage": `${Math.floor(machine.ephemeralBytes / 1024)}Ki`,
  };
  for (const [size, bytes] of Object.entries(machine.hugepages)) capacity[`hugepages-${size}`] = printBytes(bytes);
  capacity["memory"] = `${Math.floor(machine.memoryBytes / 1024)}Ki`;
  capacity["pods"] = String(MAX_PODS);
  return capacity;
}

const hugepageReserves = ({ hugepages }: MachineFacts): Record<string, string>[] =>
  Object.values(hugepages).map((bytes) => ({ memory: String(bytes) }));

/** Never less than nothing. */
function withoutReserves(capacity: Record<string, string>, reserved: Record<string, string>[]): Record<string, string> {
  const amounts = parseAmounts(capacity);
  for (const reserve of reserved.map(parseAmounts)) {
    for (const [name, amount] of reserve) {
      const known = amounts.get(name);
      if (!known) continue;
      const rest = subtractQuantities(known, amount);
      amounts.set(name, compareQuantities(rest, ZERO_QUANTITY) < 0 ? ZERO_QUANTITY : rest);
    }
  }
  return printAmounts(amounts);
}

/** In the largest binary unit that is whole. */
function printBytes(bytes: number): string {
  const units = ["", "Ki", "Mi", "Gi"];
  let value = bytes;
  let unit = 0;
  while (value > 0 && value % 1024 === 0 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value}${units[unit]}`;
}

/** In an order of ours: the runtime's may be another each time. */
const renderHandlers = (handlers: RuntimeHandler[]) =>
  handlers
    .map(({ name, features }) => ({
      name,
      features: {
        recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
        userNamespaces: features?.userNamespaces ?? false,
      },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The largest ones; each with its digests and tags, digests first. */
function renderImages(images: Image[]) {
  return [...images]
    .sort((a, b) => b.size - a.size)
    .slice(0, MAX_IMAGES)
    .map(({ repoDigests, repoTags, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES_PER_IMAGE),
      sizeBytes: size,
    }))
    .filter(({ names }) => names.length > 0);
}
