import { expect, test } from "vitest";
import type { Pod } from "../../../../shared/api/types.ts";
import { podStatusWarnings, validatePodStatusUpdate } from "./pod-status.ts";

const pod = (status: object, spec: object = {}) =>
  ({
    metadata: { name: "web", namespace: "shop" },
    spec: { restartPolicy: "Never", containers: [{ name: "a", image: "nginx:1" }], ...spec },
    status,
  }) as unknown as Pod;
const ended = { containerStatuses: [{ name: "a", state: { terminated: { exitCode: 3 } } }] };
const running = { containerStatuses: [{ name: "a", state: { running: {} } }] };
const rule = (action: string) => [{ action, exitCodes: { operator: "In", values: [3] } }];
const withRule = (restartPolicyRules: object[], rest: object = {}) => ({
  containers: [{ name: "a", image: "nginx:1", restartPolicy: "Never", restartPolicyRules, ...rest }],
});
const ENDED_FOR_GOOD = "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state";

test.each([
  { name: "a container that may not restart stays ended", now: running, old: ended, want: [ENDED_FOR_GOOD] },
  { name: "a rule lets it restart", now: running, old: ended, spec: withRule(rule("Restart")), want: [] },
  {
    name: "a rule of any container that restarts all",
    now: running,
    old: ended,
    spec: { containers: [{ name: "a" }, { name: "b", restartPolicyRules: rule("RestartAllContainers") }] },
    want: [],
  },
  {
    name: "rules count only beside a policy",
    now: running,
    old: ended,
    spec: withRule(rule("Restart"), { restartPolicy: undefined }),
    want: [ENDED_FOR_GOOD],
  },
  {
    name: "claims are those of the spec",
    now: { resourceClaimStatuses: [{ name: "gpu" }, { name: "nic" }] },
    spec: { resourceClaims: [{ name: "gpu" }] },
    want: [
      'status.resourceClaimStatuses[1].name: Invalid value: "nic": must match the name of an entry in `spec.resourceClaims`',
    ],
  },
  {
    name: "extended resources are those of a container",
    now: {
      extendedResourceClaimStatus: {
        resourceClaimName: "c",
        requestMappings: [{ containerName: "b", resourceName: "x.y/z", requestName: "r" }],
      },
    },
    want: [
      'status.extendedResourceClaimStatus.requestMappings[0].containerName: Invalid value: "b": must match the name of an entry in spec.initContainers.name or spec.containers.name',
    ],
  },
  {
    name: "health is one of three",
    now: {
      containerStatuses: [{ name: "a", allocatedResourcesStatus: [{ name: "cpu", resources: [{ health: "?" }] }] }],
    },
    want: [
      'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "cpu": must match one of the container\'s resource requests',
      'status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health: Unsupported value: "?": supported values: "Healthy", "Unhealthy", "Unknown"',
    ],
  },
  {
    name: "users are in range",
    now: { containerStatuses: [{ name: "a", user: { linux: { uid: -1, gid: 0 } } }] },
    want: [
      "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ],
  },
  {
    name: "Windows has no such user",
    now: { containerStatuses: [{ name: "a", user: { linux: { uid: 1, gid: 0 } } }] },
    spec: { os: { name: "windows" } },
    want: ["status.containerStatuses[0].user.linux: Forbidden: cannot be set for a windows pod"],
  },
])("$name", ({ now, old = {}, spec = {}, want }) => {
  const causes = validatePodStatusUpdate(pod(now, spec), pod(old, spec));
  expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(want);
});

test("addresses that should be written otherwise are warned of", () => {
  expect(podStatusWarnings(pod({ podIPs: [{ ip: "10.0.0.1" }, { ip: "FD00::1" }] }))).toEqual([
    'status.podIPs[1].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
  ]);
});
