import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from "../../shared/api/refs.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, ReplicaSet } from "../../shared/api/types.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { mortalClient } from "../../test/builders/mortal-client.ts";
import { daemonSet, deployment, node, statefulSet } from "../../test/builders/objects.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import type { ControllerDefinition } from "../runtime/index.ts";
import { daemonSetController } from "./daemonset/index.ts";
import { targetNode } from "./daemonset/pod.ts";
import { deploymentController } from "./deployment/index.ts";
import { replicaSetController } from "./replicaset/index.ts";
import { statefulSetController } from "./statefulset/index.ts";

const ROUNDS = 14;
const CHANGE_AT_ROUND = 6;

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") }));
afterEach(() => void vi.useRealTimers());

interface Story {
  name: string;
  controllers: ControllerDefinition[];
  ref: ResourceRef;
  objects: [ResourceRef, KubeObject][];
  /** Merged into the spec half-way. */
  change: Record<string, unknown>;
  /** So many there are in the end. */
  pods: number;
}

const anotherImage = { template: { spec: { containers: [{ name: "main", image: "another" }] } } };

const stories: Story[] = [
  {
    name: "a StatefulSet in order, updated and made smaller, whose claims go with their pods",
    controllers: [statefulSetController],
    ref: STATEFUL_SETS,
    objects: [
      [
        STATEFUL_SETS,
        statefulSet("w")
          .replicas(3)
          .with({
            spec: {
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
              volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }],
              persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
            },
          })
          .build(),
      ],
    ],
    change: { replicas: 2, ...anotherImage },
    pods: 2,
  },
  {
    name: "a parallel StatefulSet, updated and made larger",
    controllers: [statefulSetController],
    ref: STATEFUL_SETS,
    objects: [
      [
        STATEFUL_SETS,
        statefulSet("w")
          .replicas(2)
          .with({
            spec: { podManagementPolicy: "Parallel", updateStrategy: { type: "RollingUpdate", rollingUpdate: {} } },
          })
          .build(),
      ],
    ],
    change: { replicas: 3, ...anotherImage },
    pods: 3,
  },
  ...[{ maxUnavailable: 1 }, { maxUnavailable: 0, maxSurge: 1 }].map(
    (rollingUpdate): Story => ({
      name: `a DaemonSet, updated with ${JSON.stringify(rollingUpdate)}`,
      controllers: [daemonSetController],
      ref: DAEMON_SETS,
      objects: [
        ...["a", "b", "c"].map((name): [ResourceRef, KubeObject] => [NODES, node(name).build()]),
        [
          DAEMON_SETS,
          daemonSet("w")
            .with({ spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate } } })
            .build(),
        ],
      ],
      change: anotherImage,
      pods: 3,
    }),
  ),
  {
    name: "a Deployment, updated",
    controllers: [deploymentController, replicaSetController],
    ref: DEPLOYMENTS,
    objects: [[DEPLOYMENTS, deployment("w").replicas(3).build()]],
    change: anotherImage,
    pods: 3,
  },
];

/** Every pod runs at once, and is gone once it is to be deleted. */
async function playKubelet(api: MemoryApi): Promise<void> {
  for (const pod of api.all<Pod>(PODS)) {
    const { metadata, spec, status } = pod;
    if (metadata.deletionTimestamp) await api.delete(PODS, metadata, { gracePeriodSeconds: 0 });
    else if (status?.phase !== "Running")
      await api.patch(PODS, metadata, "merge", {
        spec: { ...spec, nodeName: targetNode(pod) ?? "a" },
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }],
        },
      });
  }
}

const imageOf = (pod: Pod) => pod.spec.containers[0]?.image;

/** What must come out whatever happened on the way: names that are drawn by lot, and times, left out. */
function outcome(api: MemoryApi, { ref }: Story) {
  const isNamed = ref === STATEFUL_SETS;
  const status = structuredClone(api.find(ref, "default/w")?.["status"]) as { conditions?: unknown };
  delete status.conditions;
  return {
    status,
    pods: api
      .all<Pod>(PODS)
      .map((pod) => `${isNamed ? pod.metadata.name : pod.spec.nodeName} ${imageOf(pod)}`)
      .sort(),
    revisions: api
      .all<ControllerRevision>(CONTROLLER_REVISIONS)
      .map(({ metadata, revision }) => `${metadata.name} ${revision}`)
      .sort(),
    replicaSets: api
      .all<ReplicaSet>(REPLICA_SETS)
      .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
      .sort(),
    claims: api
      .all<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS)
      .map(({ metadata }) => `${metadata.name} ${metadata.ownerReferences?.map(({ kind }) => kind)}`)
      .sort(),
  };
}

/** @param heard after so many writes the controllers die with the next one, and begin anew; undefined: never */
async function play(story: Story, heard = Number.POSITIVE_INFINITY) {
  const api = new MemoryApi();
  api.nowMs = () => Date.now();
  for (const [ref, object] of story.objects) await api.create(ref, structuredClone(object));
  const { client, isDead } = mortalClient(api, heard);
  runControllers(api, story.controllers, undefined, client);
  let hasDied = false;
  for (let round = 0; round < ROUNDS; round++) {
    if (round === CHANGE_AT_ROUND)
      await api.patch(story.ref, { name: "w", namespace: "default" }, "merge", { spec: story.change });
    await vi.advanceTimersByTimeAsync(1100);
    if (isDead() && !hasDied) {
      hasDied = true;
      runControllers(api, story.controllers);
      await vi.advanceTimersByTimeAsync(1100);
    }
    await playKubelet(api);
  }
  await vi.advanceTimersByTimeAsync(5000);
  const writes = api.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  return { end: outcome(api, story), hasDied, idleWrites: api.calls.length - writes };
}

it.each(stories)("$name: the end is the same, after whichever write the controllers die", async (story) => {
  const { end, idleWrites } = await play(story);
  expect(end.pods).toHaveLength(story.pods);
  expect(end.pods.every((pod) => pod.endsWith(" another"))).toBe(true);
  expect(idleWrites).toBe(0);
  let heard = 0;
  for (; ; heard += 1) {
    const died = await play(story, heard);
    if (!died.hasDied) break;
    expect({ heard, idleWrites: died.idleWrites, ...died.end }).toEqual({ heard, idleWrites: 0, ...end });
  }
  expect(heard).toBeGreaterThan(10);
});
