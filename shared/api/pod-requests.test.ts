import { expect, test } from "vitest";
import { effectiveRequests, printAmounts, qosClass } from "./pod-requests.ts";
import type { Container, PodSpec } from "./types.ts";

const container = (cpu?: string, limit?: string, rest: Partial<Container> = {}): Container => ({
  name: "c",
  image: "i",
  resources: { ...(cpu ? { requests: { cpu } } : {}), ...(limit ? { limits: { cpu: limit } } : {}) },
  ...rest,
});
const sidecar = { restartPolicy: "Always" };

test.each<{ name: string; spec: PodSpec; cpu: string }>([
  { name: "containers add up", spec: { containers: [container("100m"), container("200m")] }, cpu: "300m" },
  {
    name: "the largest init container counts when it needs more",
    spec: { containers: [container("100m")], initContainers: [container("500m"), container("300m")] },
    cpu: "500m",
  },
  {
    name: "sidecars run beside the containers",
    spec: { containers: [container("100m")], initContainers: [container("50m", undefined, sidecar)] },
    cpu: "150m",
  },
  {
    name: "an init container runs beside the sidecars before it",
    spec: {
      containers: [container("100m")],
      initContainers: [container("50m", undefined, sidecar), container("200m")],
    },
    cpu: "250m",
  },
  { name: "overhead is added", spec: { containers: [container("100m")], overhead: { cpu: "10m" } }, cpu: "110m" },
])("$name", ({ spec, cpu }) => {
  expect(printAmounts(effectiveRequests(spec))).toMatchObject({ cpu });
});

const full = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
test.each<{ name: string; spec: PodSpec; qos: string }>([
  { name: "nothing asked for", spec: { containers: [container()] }, qos: "BestEffort" },
  { name: "something asked for", spec: { containers: [container("1")] }, qos: "Burstable" },
  {
    name: "limits of both resources",
    spec: { containers: [container(undefined, undefined, { resources: full })] },
    qos: "Guaranteed",
  },
  {
    name: "one container without limits",
    spec: { containers: [container(undefined, undefined, { resources: full }), container()] },
    qos: "Burstable",
  },
])("$name: $qos", ({ spec, qos }) => {
  expect(qosClass(spec)).toBe(qos);
});
