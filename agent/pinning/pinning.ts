import { messageOf } from "../../shared/message-of.ts";
import type { Container, Pod } from "../api/index.ts";
import {
  type CpuPool,
  type CpuSet,
  checkAssignments,
  printCpuSet,
  releasePod,
  sharedCpus,
} from "../cpumanager/index.ts";
import type { LinuxResources } from "../cri/index.ts";
import { checkBlocks, type MemoryPool, nodesOfContainer } from "../memorymanager/index.ts";
import { AdmissionError, type Alignment, alignPod } from "../topologymanager/index.ts";
import { cpuProvider, memoryProvider, type PinState } from "./providers.ts";
import { parseCpus, parseMemory, printCpus, printMemory } from "./saved-state.ts";

/** Which CPUs and memory containers have for themselves. */
export interface Pinning {
  /** Gives a pod's containers what they are to have. @returns why that cannot be, in upstream's words */
  admit(pod: Pod): Promise<{ reason: string; message: string } | undefined>;
  /** What the runtime is to be told of a container besides its limits. Empty: it may run anywhere. */
  resourcesOf(
    uid: string,
    container: Pick<Container, "name">,
  ): Pick<LinuxResources, "cpusetCpus" | "cpusetMems" | "cpuQuota">;
  /** Whether a container of the pod has CPUs of its own: then there is no quota to hold it back. */
  hasExclusive(uid: string): boolean;
  /** Gives back what a pod has. May be repeated. @throws Error if that cannot be saved */
  release(uid: string): Promise<void>;
  /** Gives back what pods have that are gone: they ended while nobody could save it, or while the policy was another. */
  retain(isKnown: (uid: string) => boolean): Promise<void>;
  /**
   * Moves containers whose CPUs have changed: those that share, when somebody takes or gives back.
   * @param running by the runtime's id
   */
  reconcile(running: ReadonlyMap<string, { uid: string; name: string }>): Promise<void>;
}

/** Where the text is kept that was saved last; undefined at first. */
export interface Checkpoint {
  /** Its path, for whoever has to remove it. */
  readonly file: string;
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

export interface PinningDeps {
  /** Undefined: nobody has CPUs of its own (policy `none`). */
  cpus?: CpuPool & { checkpoint: Checkpoint };
  /** Undefined: nobody has memory of its own (policy `None`). */
  memory?: MemoryPool & { checkpoint: Checkpoint };
  alignment: Alignment;
  setCpus(containerId: string, resources: Pick<LinuxResources, "cpusetCpus">): Promise<void>;
  /** A container that cannot be moved now is tried again with the next reconcile. */
  onFailure(containerId: string, message: string): void;
}

/** Nobody has anything of its own (the default). */
export const noPinning: Pinning = {
  admit: () => Promise.resolve(undefined),
  resourcesOf: () => ({}),
  hasExclusive: () => false,
  release: () => Promise.resolve(),
  retain: () => Promise.resolve(),
  reconcile: () => Promise.resolve(),
};

/**
 * What was given out survives a restart of the agent: containers run on.
 * @throws Error in upstream's words, with what to do, if what was saved is damaged or does not fit the machine: better no
 *   agent than two pods on one CPU
 */
export async function createPinning({ cpus, memory, alignment, setCpus, onFailure }: PinningDeps): Promise<Pinning> {
  let state: PinState = {
    cpus: await restore("CPU", cpus?.checkpoint, (text) => {
      const assignments = parseCpus(text);
      if (cpus) checkAssignments(assignments, cpus);
      return assignments;
    }),
    memory: await restore("memory", memory?.checkpoint, (text) => {
      const assignments = parseMemory(text);
      if (memory) checkBlocks(memory.machine, assignments);
      return assignments;
    }),
  };
  const providers = [...(cpus ? [cpuProvider(cpus)] : []), ...(memory ? [memoryProvider(memory)] : [])];
  /** What each container was last told. */
  const told = new Map<string, string>();

  const cpusOf = (uid: string, name: string): CpuSet =>
    cpus ? (state.cpus[uid]?.[name] ?? sharedCpus(cpus, state.cpus)) : [];

  /** On the disk, as far as we know. */
  let saved = state;
  let turn: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    const { cpus: nextCpus, memory: nextMemory } = state;
    if (nextCpus !== saved.cpus) await cpus?.checkpoint.save(printCpus(nextCpus));
    saved = { ...saved, cpus: nextCpus };
    if (nextMemory !== saved.memory) await memory?.checkpoint.save(printMemory(nextMemory));
    saved = { ...saved, memory: nextMemory };
  }

  /** Given out at once, and on the disk when it settles. What could not be saved is saved with the next change. */
  function change(next: PinState): Promise<void> {
    state = next;
    // One after the other: there is one file.
    const turned = turn.then(save);
    turn = turned.catch(() => {});
    return turned;
  }

  async function release(uid: string): Promise<void> {
    const hasAny = [state, saved].some((each) => each.cpus[uid] || each.memory[uid]);
    if (!hasAny) return;
    const { [uid]: _, ...memoryOfOthers } = state.memory;
    await change({
      cpus: state.cpus[uid] ? releasePod(uid, state.cpus) : state.cpus,
      memory: state.memory[uid] ? memoryOfOthers : state.memory,
    });
  }

  return {
    async admit(pod) {
      try {
        await change(alignPod(pod, providers, state, alignment));
        return undefined;
      } catch (error) {
        if (error instanceof AdmissionError) return { reason: error.reason, message: error.message };
        const message = `Allocate failed due to ${messageOf(error)}, which is unexpected`;
        return { reason: "UnexpectedAdmissionError", message };
      }
    },
    resourcesOf(uid, { name }) {
      const nodes = nodesOfContainer(uid, name, state.memory);
      return {
        ...(cpus && { cpusetCpus: printCpuSet(cpusOf(uid, name)) }),
        ...(nodes.length > 0 && { cpusetMems: printCpuSet(nodes) }),
        ...(state.cpus[uid]?.[name] && { cpuQuota: -1 }),
      };
    },
    hasExclusive: (uid) => state.cpus[uid] !== undefined,
    release,
    async retain(isKnown) {
      for (const uid of [...Object.keys(state.cpus), ...Object.keys(state.memory)]) {
        if (!isKnown(uid)) await release(uid);
      }
    },
    async reconcile(running) {
      if (!cpus) return;
      for (const id of told.keys()) if (!running.has(id)) told.delete(id);
      for (const [id, { uid, name }] of running) {
        const cpusetCpus = printCpuSet(cpusOf(uid, name));
        if (told.get(id) === cpusetCpus) continue;
        try {
          await setCpus(id, { cpusetCpus });
          told.set(id, cpusetCpus);
        } catch (error) {
          onFailure(id, messageOf(error));
        }
      }
    },
  };
}

async function restore<Assigned>(
  manager: "CPU" | "memory",
  checkpoint: Checkpoint | undefined,
  parse: (text: string | undefined) => Assigned,
): Promise<Assigned> {
  try {
    return parse(await checkpoint?.load());
  } catch (cause) {
    throw new Error(
      `could not restore state from checkpoint: ${messageOf(cause)}, please drain this node and delete the ${manager} manager checkpoint file ${JSON.stringify(checkpoint?.file)} before restarting Kubelet`,
      { cause },
    );
  }
}
