import { expect, test } from "vitest";
import type { Pod, PodSpec } from "../../../../shared/api/types.ts";
import { validateResize } from "./pod-resize.ts";

const container = (name: string, resources: object = {}, rest: object = {}) => ({
  name,
  image: "nginx:1",
  imagePullPolicy: "Always",
  terminationMessagePolicy: "File",
  resources,
  ...rest,
});
const AMOUNTS = { requests: { cpu: "1", memory: "1Gi" } };
const MORE = { requests: { cpu: "2", memory: "1Gi" } };

const pod = (spec: object, status: object = { qosClass: "Burstable" }) =>
  ({
    metadata: { name: "web", namespace: "shop" },
    spec: {
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      terminationGracePeriodSeconds: 30,
      ...spec,
    } as unknown as PodSpec,
    status,
  }) as Pod;
const old = pod({ containers: [container("a", AMOUNTS)], initContainers: [container("i", AMOUNTS)] });
const changed = (spec: object) => pod({ ...old.spec, ...spec }, old.status);

test.each([
  { name: "cpu and memory change", spec: { containers: [container("a", MORE)] }, want: [] },
  { name: "an init container's too", spec: { initContainers: [container("i", MORE)] }, want: [] },
  {
    name: "amounts stay",
    spec: { containers: [container("a", { requests: { cpu: "1" } })] },
    want: ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"],
  },
  {
    name: "containers stay",
    spec: { containers: [container("a", AMOUNTS), container("b")], initContainers: [container("j", AMOUNTS)] },
    want: [
      "spec.containers: Forbidden: containers may not be added or removed on resize",
      "spec.initContainers[0].name: Forbidden: initContainers may not be renamed or reordered on resize",
    ],
  },
  {
    name: "other resources are fixed",
    spec: { containers: [container("a", { requests: { ...AMOUNTS.requests, "ephemeral-storage": "1Gi" } })] },
    want: ["spec: Forbidden: only cpu and memory resources are mutable"],
  },
  {
    name: "pod-level resources can be given, if only cpu and memory",
    spec: { resources: { requests: { cpu: "2", memory: "2Gi" } } },
    want: [],
  },
])("$name", ({ spec, want }) =>
  expect(validateResize(changed(spec), old).map(({ field, message }) => `${field}: ${message}`)).toEqual(want),
);

test.each([
  {
    name: "pod-level resources stay",
    before: { resources: AMOUNTS },
    after: {},
    want: ["spec.resources: Forbidden: pod-level resources cannot be removed"],
  },
  {
    name: "a node that does not report resources cannot resize",
    before: {},
    after: {},
    status: { qosClass: "Burstable", containerStatuses: [{ name: "a", state: { running: {} } }] },
    want: ["spec: Forbidden: Pod running on node without support for resize"],
  },
])("$name", ({ before, after, status, want }) => {
  const stored = pod({ ...old.spec, ...before }, status ?? old.status);
  const messages = validateResize(pod({ ...old.spec, ...after }, stored.status), stored);
  expect(messages.map(({ field, message }) => `${field}: ${message}`)).toEqual(expect.arrayContaining(want));
});
