import { expect } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from "../../../shared/api/refs.ts";
import type { Deployment, Pod, PodDisruptionBudget } from "../../../shared/api/types.ts";
import { daemonSet, deployment, node, object, statefulSet } from "../../builders/objects.ts";
import type { SimApi } from "../sim-api.ts";
import { change, create, createAll, remove, type Story } from "./story.ts";

const ANOTHER_IMAGE = { template: { spec: { containers: [{ name: "main", image: "another" }] } } };
const nodes = ["a", "b", "c"].map((name): [typeof NODES, KubeObject] => [NODES, node(name).ready().build()]);

/** So many pods, all running what was asked for last. */
const runs = (count: number) => (api: SimApi) => {
  const pods = api.all<Pod>(PODS);
  expect(pods.map(({ spec, status }) => `${status?.phase} ${spec.containers[0]?.image}`)).toEqual(
    Array.from({ length: count }, () => "Running another"),
  );
};

const claimed = (retention: object) => ({
  volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }],
  persistentVolumeClaimRetentionPolicy: retention,
});

/** A condition that says the same again keeps its message: who slept through the progress does not tell of it. */
const WHICH_PROGRESSED = /(?<=ReplicaSet )\\"w-\w+\\"/g;
/** Noted after the scaling; nobody knows of it later. */
const WHEN_SCALED = /,"lastScaleTime":"then"/;

/** The pods of which there are metrics. */
let measured: string[] = [];

export const WORKLOAD_STORIES: Story[] = [
  {
    name: "a Deployment, rolled out, changed, changed back, and made larger",
    of: ["deployment", "replicaset"],
    vague: WHICH_PROGRESSED,
    acts: [
      create(DEPLOYMENTS, deployment("w").replicas(3).build()),
      change(DEPLOYMENTS, "w", { spec: ANOTHER_IMAGE }),
      change(DEPLOYMENTS, "w", { spec: { replicas: 4 } }),
    ],
    end: runs(4),
    writes: 25,
  },
  {
    name: "a Deployment that is recreated",
    of: ["deployment", "replicaset"],
    vague: WHICH_PROGRESSED,
    acts: [
      create(
        DEPLOYMENTS,
        deployment("w")
          .replicas(2)
          .with({ spec: { strategy: { type: "Recreate", rollingUpdate: undefined } } })
          .build(),
      ),
      change(DEPLOYMENTS, "w", { spec: ANOTHER_IMAGE }),
    ],
    end: runs(2),
    writes: 12,
  },
  {
    name: "a Deployment of which no history is kept, paused half-way",
    of: ["deployment", "replicaset"],
    vague: WHICH_PROGRESSED,
    acts: [
      create(
        DEPLOYMENTS,
        deployment("w")
          .replicas(2)
          .with({ spec: { revisionHistoryLimit: 0, minReadySeconds: 5 } })
          .build(),
      ),
      change(DEPLOYMENTS, "w", { spec: { paused: true, ...ANOTHER_IMAGE } }),
      change(DEPLOYMENTS, "w", { spec: { paused: false } }),
    ],
    end: runs(2),
    writes: 15,
  },
  {
    name: "a StatefulSet in order, updated and made smaller, whose claims go with their pods",
    of: ["statefulset"],
    acts: [
      create(
        STATEFUL_SETS,
        statefulSet("w")
          .replicas(3)
          .with({
            spec: {
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
              ...claimed({ whenDeleted: "Delete", whenScaled: "Delete" }),
            },
          })
          .build(),
      ),
      change(STATEFUL_SETS, "w", { spec: { replicas: 2, ...ANOTHER_IMAGE } }),
    ],
    end: runs(2),
    writes: 20,
  },
  {
    name: "a parallel StatefulSet, updated and made larger",
    of: ["statefulset"],
    acts: [
      create(
        STATEFUL_SETS,
        statefulSet("w")
          .replicas(2)
          .with({
            spec: {
              podManagementPolicy: "Parallel",
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
            },
          })
          .build(),
      ),
      change(STATEFUL_SETS, "w", { spec: { replicas: 3, ...ANOTHER_IMAGE } }),
    ],
    end: runs(3),
    writes: 12,
  },
  {
    name: "a StatefulSet whose update stops at a partition, and then goes on",
    of: ["statefulset"],
    acts: [
      create(
        STATEFUL_SETS,
        statefulSet("w")
          .replicas(3)
          .with({ spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } } })
          .build(),
      ),
      change(STATEFUL_SETS, "w", { spec: ANOTHER_IMAGE }),
      (api) => api.delete(PODS, { name: "w-0", namespace: "default" }),
      change(STATEFUL_SETS, "w", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }),
    ],
    end: runs(3),
    writes: 18,
  },
  ...[{ maxUnavailable: 1 }, { maxUnavailable: 0, maxSurge: 1 }].map(
    (rollingUpdate): Story => ({
      name: `a DaemonSet, updated with ${JSON.stringify(rollingUpdate)}`,
      of: ["daemonset"],
      acts: [
        createAll(...nodes, [
          DAEMON_SETS,
          daemonSet("w")
            .with({ spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate } } })
            .build(),
        ]),
        change(DAEMON_SETS, "w", { spec: ANOTHER_IMAGE }),
      ],
      end: runs(3),
      writes: 15,
    }),
  ),
  {
    name: "a ReplicationController, made larger and smaller",
    of: ["replicationcontroller"],
    acts: [
      create(
        REPLICATION_CONTROLLERS,
        object("v1", "ReplicationController", "w", {
          metadata: { name: "w", namespace: "default" },
          spec: {
            replicas: 2,
            selector: { app: "w" },
            template: {
              metadata: { labels: { app: "w" } },
              spec: { containers: [{ name: "main", image: "another" }] },
            },
          },
          status: { replicas: 0 },
        }).build(),
      ),
      change(REPLICATION_CONTROLLERS, "w", { spec: { replicas: 4 } }),
      change(REPLICATION_CONTROLLERS, "w", { spec: { replicas: 1 } }),
    ],
    end: runs(1),
    writes: 12,
  },
  {
    name: "an autoscaler that follows the load",
    of: ["horizontal-pod-autoscaler"],
    vague: WHEN_SCALED,
    beside: ["deployment", "replicaset"],
    answer: () => {
      const timestamp = new Date().toISOString();
      const containers = [{ name: "main", usage: { cpu: "90m" } }];
      return { items: measured.map((name) => ({ metadata: { name }, timestamp, window: "30s", containers })) };
    },
    acts: [
      async (api) => {
        const built = deployment("w").replicas(2).image("another").build();
        built.spec.template.spec!.containers[0]!.resources = { requests: { cpu: "100m" } };
        await api.create(DEPLOYMENTS, built);
      },
      async (api) => {
        measured = api.all<Pod>(PODS).map(({ metadata }) => metadata.name);
        await api.create(
          HORIZONTAL_POD_AUTOSCALERS,
          object("autoscaling/v2", "HorizontalPodAutoscaler", "w", {
            metadata: { name: "w", namespace: "default" },
            spec: {
              maxReplicas: 3,
              scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "w" },
              metrics: [
                {
                  type: "Resource",
                  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
                },
              ],
            },
          }).build(),
        );
      },
    ],
    end: (api) => expect(api.find<Deployment>(DEPLOYMENTS, "default/w")?.spec.replicas).toBe(3),
    writes: 12,
  },
  {
    name: "a budget whose pods come and go",
    of: ["disruption"],
    beside: ["deployment", "replicaset"],
    acts: [
      createAll(
        [DEPLOYMENTS, deployment("w").replicas(3).image("another").build()],
        [
          POD_DISRUPTION_BUDGETS,
          object("policy/v1", "PodDisruptionBudget", "w", {
            metadata: { name: "w", namespace: "default" },
            spec: { maxUnavailable: 1, selector: { matchLabels: { app: "w" } } },
          }).build(),
        ],
      ),
      async (api) => {
        const [pod] = api.all<Pod>(PODS);
        const eviction = { metadata: { name: pod!.metadata.name, namespace: "default" } };
        await api.create(PODS, eviction, { name: pod!.metadata.name, subresource: "eviction" });
      },
      change(DEPLOYMENTS, "w", { spec: { replicas: 5 } }),
    ],
    end(api) {
      const { status } = api.find<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, "default/w")!;
      expect(status).toMatchObject({ currentHealthy: 5, desiredHealthy: 4, disruptionsAllowed: 1, expectedPods: 5 });
    },
    writes: 15,
  },
  {
    name: "a Deployment and a StatefulSet that are deleted, one in the foreground",
    of: ["garbage-collector"],
    beside: ["deployment", "replicaset", "statefulset"],
    acts: [
      createAll(
        [DEPLOYMENTS, deployment("w").replicas(2).build()],
        [
          STATEFUL_SETS,
          statefulSet("s")
            .replicas(2)
            .with({ spec: { ...claimed({ whenDeleted: "Delete" }) } })
            .build(),
        ],
      ),
      remove(DEPLOYMENTS, "w", "Foreground"),
      remove(STATEFUL_SETS, "s"),
    ],
    end: (api) => expect(api.all(PODS)).toEqual([]),
    writes: 30,
  },
  {
    name: "a Deployment whose ReplicaSet and pods are left behind",
    of: ["garbage-collector"],
    beside: ["deployment", "replicaset"],
    acts: [
      create(DEPLOYMENTS, deployment("w").replicas(2).image("another").build()),
      remove(DEPLOYMENTS, "w", "Orphan"),
    ],
    end: runs(2),
    writes: 8,
  },
];
