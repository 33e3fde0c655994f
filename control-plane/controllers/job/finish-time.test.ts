import { expect, it } from "vitest";
import type { Pod, PodStatus } from "../../../shared/api/types.ts";
import { pod } from "../../../test/builders/objects.ts";
import { finishedAtMs } from "./finish-time.ts";

const ended = (name: string, time?: string) => ({
  name,
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: time === undefined ? { running: {} } : { terminated: { exitCode: 1, finishedAt: `2026-10-21T${time}Z` } },
});
const notReady = { type: "Ready", status: "False", lastTransitionTime: "2026-10-21T08:30:00Z" };

function podWith(status: PodStatus, deletionTimestamp?: string): Pod {
  const built = pod("p").createdAt("2026-10-21T07:00:00Z").build();
  if (deletionTimestamp) Object.assign(built.metadata, { deletionTimestamp, deletionGracePeriodSeconds: 30 });
  built.spec.initContainers = [{ name: "init" }, { name: "sidecar", restartPolicy: "Always" }];
  return { ...built, status };
}

it.each<[name: string, pod: Pod, want: string]>([
  [
    "its last container, whatever the conditions say",
    podWith({ containerStatuses: [ended("a", "08:10:00"), ended("b", "08:05:00")], conditions: [notReady] }),
    "08:10:00",
  ],
  [
    "its sidecar, which ends last; other init containers do not count",
    podWith({
      containerStatuses: [ended("a", "08:10:00")],
      initContainerStatuses: [ended("init", "09:00:00"), ended("sidecar", "08:12:00")],
    }),
    "08:12:00",
  ],
  [
    "the end of readiness, while a container has not ended",
    podWith({ containerStatuses: [ended("a", "08:10:00"), ended("b")], conditions: [notReady] }),
    "08:30:00",
  ],
  ["its deletion, without the grace period", podWith({}, "2026-10-21T08:00:30Z"), "08:00:00"],
  ["its creation, at the worst", podWith({}), "07:00:00"],
])("%s", (_name, p, want) => expect(new Date(finishedAtMs(p)).toISOString()).toBe(`2026-10-21T${want}.000Z`));
