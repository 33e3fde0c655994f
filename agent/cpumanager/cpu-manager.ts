import { z } from "zod";
import { messageOf } from "../../shared/message-of.ts";
import type { Container, Pod } from "../api/index.ts";
import type { LinuxResources } from "../cri/index.ts";
import { type CpuSet, parseCpuSet, printCpuSet } from "./cpu-set.ts";
import { type Assignments, assignPod, type CpuPool, releasePod, sharedCpus } from "./static-policy.ts";

/** Which CPUs containers run on. */
export interface CpuManager {
  /** Gives a pod's containers their CPUs. @returns why that cannot be, in upstream's words */
  admit(pod: Pod): Promise<string | undefined>;
  /** What the runtime is to be told of a container besides its limits. Empty: it may run anywhere. */
  resourcesOf(uid: string, container: Pick<Container, "name">): Pick<LinuxResources, "cpusetCpus" | "cpuQuota">;
  /** Whether a container of the pod has CPUs of its own: then there is no quota to hold it back. */
  hasExclusive(uid: string): boolean;
  release(uid: string): Promise<void>;
  /**
   * Moves containers whose CPUs have changed: those that share, when somebody takes or gives back.
   * @param running by the runtime's id
   */
  reconcile(running: ReadonlyMap<string, { uid: string; name: string }>): Promise<void>;
}

export interface CpuManagerDeps {
  pool: CpuPool;
  /** The text that was saved last; undefined at first. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
  setCpus(containerId: string, resources: Pick<LinuxResources, "cpusetCpus">): Promise<void>;
  /** A container that cannot be moved now is tried again with the next reconcile. */
  onFailure(containerId: string, message: string): void;
}

/** Nobody has CPUs of its own (the default). */
export const noCpuManager: CpuManager = {
  admit: () => Promise.resolve(undefined),
  resourcesOf: () => ({}),
  hasExclusive: () => false,
  release: () => Promise.resolve(),
  reconcile: () => Promise.resolve(),
};

const stateSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** The kubelet's `static` policy. What was given survives a restart of the agent: containers run on. */
export async function createStaticCpuManager(deps: CpuManagerDeps): Promise<CpuManager> {
  const { pool } = deps;
  let assignments: Assignments = parseState(await deps.load());
  /** What each container was last told. */
  const told = new Map<string, string>();

  const cpusOf = (uid: string, name: string): CpuSet => assignments[uid]?.[name] ?? sharedCpus(pool, assignments);

  async function change(next: Assignments): Promise<void> {
    if (next === assignments) return;
    assignments = next;
    await deps.save(printState(next));
  }

  return {
    async admit(pod) {
      try {
        await change(assignPod(pod, assignments, pool));
        return undefined;
      } catch (error) {
        return `Allocate failed due to ${messageOf(error)}, which is unexpected`;
      }
    },
    resourcesOf: (uid, { name }) => ({
      cpusetCpus: printCpuSet(cpusOf(uid, name)),
      ...(assignments[uid]?.[name] && { cpuQuota: -1 }),
    }),
    hasExclusive: (uid) => assignments[uid] !== undefined,
    async release(uid) {
      if (assignments[uid]) await change(releasePod(uid, assignments));
    },
    async reconcile(running) {
      for (const id of told.keys()) if (!running.has(id)) told.delete(id);
      for (const [id, { uid, name }] of running) {
        const cpusetCpus = printCpuSet(cpusOf(uid, name));
        if (told.get(id) === cpusetCpus) continue;
        try {
          await deps.setCpus(id, { cpusetCpus });
          told.set(id, cpusetCpus);
        } catch (error) {
          deps.onFailure(id, messageOf(error));
        }
      }
    },
  };
}

const printState = (assignments: Assignments): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(assignments).map(([uid, containers]) => [
        uid,
        Object.fromEntries(Object.entries(containers).map(([name, cpus]) => [name, printCpuSet(cpus)])),
      ]),
    ),
  );

/** @throws Error if it is damaged: better no agent than two pods on one CPU */
function parseState(text: string | undefined): Assignments {
  if (text === undefined) return {};
  const state = stateSchema.parse(JSON.parse(text));
  return Object.fromEntries(
    Object.entries(state).map(([uid, containers]) => [
      uid,
      Object.fromEntries(Object.entries(containers).map(([name, cpus]) => [name, parseCpuSet(cpus)])),
    ]),
  );
}
