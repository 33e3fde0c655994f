import { z } from "zod";
import { messageOf } from "../../shared/message-of.ts";
import type { Pod } from "../api/index.ts";
import type { CgroupSettings, PodCgroups } from "../cgroup/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { AgentState } from "../state/index.ts";
import { actuateResize, growPod } from "./actuate.ts";
import { type Allocation, allocationOf, sameAllocation, sameResources, withAllocation } from "./allocation.ts";
import { type ContainerChange, decideChanges } from "./changes.ts";
import { decideResizeConditions, type ResizeState } from "./conditions.ts";
import { type ResizePolicies, whyInfeasible } from "./feasible.ts";
import { renderResizeMessage } from "./message.ts";

/** A running container: its name, and the runtime's id of this instance. */
export type Running = ReadonlyMap<string, string>;

/** Makes an event of the pod. */
type Note = (type: "Normal" | "Warning", reason: string, message: string) => void;

export interface ResizeDeps {
  cri: Pick<CriClient, "updateContainerResources" | "containerStats">;
  cgroups: PodCgroups;
  settings: CgroupSettings;
  state: Pick<AgentState, "allocation" | "saveAllocation">;
  policies: ResizePolicies;
  /** Whether the node has room for the pod as it wants to be: then it counts as that. @returns why not */
  makeRoom(pod: Pod): Promise<string | undefined>;
}

/**
 * Pods' resources as this node has granted them, which may differ from what pods ask for now (KEP-1287). Everything else
 * of the agent works with pods as granted. Each pod's calls come one after the other.
 */
export interface Resizes {
  /** The pod as it is granted; at first as it is. */
  granted(pod: Pod): Pod;
  /** Whether the pod waits for room. */
  isPending(uid: string): boolean;
  /** What the containers of a pod run with, by name; undefined for a pod that was never resized: what it asks for. */
  actuated(uid: string): Allocation["containers"] | undefined;
  conditions(uid: string): ReturnType<typeof decideResizeConditions>;
  /** Takes up what was granted before a restart of the agent. Before anything else of a pod. */
  recall(pod: Pod): Promise<void>;
  /**
   * Grants what the pod asks for, if it can be. @param running the containers as they are before
   * @returns the pod as it is granted now
   */
  consider(pod: Pod, running: Running, note: Note): Promise<Pod>;
  /** Names of containers that are to be restarted for what is granted. */
  restarts(pod: Pod, running: Running): string[];
  /** Changes running containers in place. A failure is told as a condition and an event, and is tried again next time. */
  actuate(pod: Pod, running: Running, note: Note): Promise<void>;
  forget(uid: string): void;
}

const requirements = z.object({
  requests: z.record(z.string(), z.string()).optional(),
  limits: z.record(z.string(), z.string()).optional(),
});
const allocationSchema = z.object({
  pod: requirements.optional(),
  containers: z.record(z.string(), requirements),
});
const recordSchema = z.object({
  granted: allocationSchema,
  actuated: allocationSchema,
  /** The instances that `actuated` tells of, by container. */
  ids: z.record(z.string(), z.string()),
});

/** What is remembered of a pod whose resources have changed once. */
type Entry = z.infer<typeof recordSchema> & { state: ResizeState };

export function createResizes(deps: ResizeDeps): Resizes {
  /** Of pods that were resized. Of others, what they ask for is granted and runs. */
  const entries = new Map<string, Entry>();
  /** What pods asked for when they were first seen. */
  const first = new Map<string, Allocation>();

  const save = (uid: string, { granted, actuated, ids }: Entry) =>
    deps.state.saveAllocation(uid, { granted, actuated, ids });

  function grantedOf(pod: Pod): Allocation {
    const { uid } = pod.metadata;
    const entry = entries.get(uid);
    if (entry) return entry.granted;
    let known = first.get(uid);
    if (!known) {
      known = allocationOf(pod);
      first.set(uid, known);
    }
    return known;
  }

  /** An instance that is new has what is granted: it was made so. */
  function settle(entry: Entry, running: Running): void {
    for (const [name, id] of running) {
      const granted = entry.granted.containers[name];
      if (!granted || entry.ids[name] === id) continue;
      entry.ids[name] = id;
      entry.actuated.containers[name] = granted;
    }
  }

  function changesOf(pod: Pod, running: Running): ContainerChange[] {
    const entry = entries.get(pod.metadata.uid);
    return entry ? decideChanges(pod, entry.actuated, new Set(running.keys())) : [];
  }

  async function grant(pod: Pod, wanted: Allocation, running: Running): Promise<void> {
    const { uid, generation } = pod.metadata;
    const before = grantedOf(pod);
    const entry = entries.get(uid) ?? {
      granted: before,
      actuated: structuredClone(before),
      ids: Object.fromEntries(running),
      state: {},
    };
    entry.granted = wanted;
    entry.state = { inProgress: { generation } };
    await save(uid, entry);
    entries.set(uid, entry);
  }

  return {
    granted: (pod) => withAllocation(pod, grantedOf(pod)),
    isPending: (uid) => entries.get(uid)?.state.pending !== undefined,
    actuated: (uid) => entries.get(uid)?.actuated.containers,
    conditions: (uid) => decideResizeConditions(entries.get(uid)?.state ?? {}),

    async recall(pod) {
      const { uid } = pod.metadata;
      const remembered = recordSchema.safeParse(await deps.state.allocation(uid));
      if (remembered.success) entries.set(uid, { ...remembered.data, state: {} });
    },

    async consider(pod, running, note) {
      const { uid, generation } = pod.metadata;
      const known = entries.get(uid);
      if (known) settle(known, running);
      const granted = grantedOf(pod);
      const wanted = allocationOf(pod);
      if (sameAllocation(wanted, granted)) {
        if (known) delete known.state.pending;
        return withAllocation(pod, granted);
      }
      const before = withAllocation(pod, granted);
      const infeasible = whyInfeasible(pod, before, deps.policies);
      const noRoom = infeasible === undefined ? await deps.makeRoom(pod) : undefined;
      const message = infeasible ?? noRoom;
      if (message === undefined) {
        await grant(pod, wanted, running);
        note("Normal", "ResizeStarted", renderResizeMessage("Pod resize started", pod));
        return pod;
      }
      const reason = infeasible === undefined ? "Deferred" : "Infeasible";
      const entry = known ?? {
        granted,
        actuated: structuredClone(granted),
        ids: Object.fromEntries(running),
        state: {},
      };
      const told = entry.state.pending;
      if (told?.reason !== reason || told.message !== message || told.generation !== generation) {
        entry.state.pending = { reason, message, generation };
        note("Warning", `Resize${reason}`, renderResizeMessage(`Pod resize ${reason}`, pod, message));
        await save(uid, entry);
        entries.set(uid, entry);
      }
      return before;
    },

    restarts: (pod, running) =>
      changesOf(pod, running)
        .filter(({ needsRestart }) => needsRestart)
        .map(({ name }) => name),

    async actuate(pod, running, note) {
      const { uid, generation } = pod.metadata;
      const entry = entries.get(uid);
      if (!entry) return;
      settle(entry, running);
      const changes = changesOf(pod, running);
      if (changes.length === 0 && sameResources(entry.actuated.pod, entry.granted.pod) && !entry.state.inProgress)
        return;
      const inProgress = entry.state.inProgress ?? { generation };
      entry.state.inProgress = inProgress;
      const target = { pod, actuated: entry.actuated, changes, ids: running };
      try {
        // Containers that restart come back with what is granted, and the rest is done then.
        if (changes.some(({ needsRestart }) => needsRestart)) await growPod(deps, target);
        else {
          await actuateResize(deps, target);
          delete entry.state.inProgress;
          note("Normal", "ResizeCompleted", renderResizeMessage("Pod resize completed", pod));
        }
      } catch (cause) {
        const error = messageOf(cause);
        if (inProgress.error !== error) {
          note("Warning", "ResizeError", renderResizeMessage("Pod resize error", pod, error));
        }
        entry.state.inProgress = { error, generation: inProgress.generation };
      }
      await save(uid, entry);
    },

    forget(uid) {
      entries.delete(uid);
      first.delete(uid);
    },
  };
}
