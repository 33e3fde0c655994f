import {
  type Assignments,
  assignContainer,
  type CpuPool,
  containerCpuHints,
  podCpuHints,
} from "../cpumanager/index.ts";
import {
  containerMemoryHints,
  type MemoryAssignments,
  type MemoryPool,
  podMemoryHints,
  reserveBlocks,
} from "../memorymanager/index.ts";
import type { Provider } from "../topologymanager/index.ts";

/** What containers have for themselves. */
export interface PinState {
  cpus: Assignments;
  memory: MemoryAssignments;
}

export const cpuProvider = (pool: CpuPool): Provider<PinState> => ({
  containerHints: (pod, container, { cpus }) => containerCpuHints(pod, container, { assignments: cpus, pool }),
  podHints: (pod, { cpus }) => podCpuHints(pod, { assignments: cpus, pool }),
  allocate: (pod, container, { nodes }, state) => ({
    ...state,
    cpus: assignContainer(pod, container, nodes, { assignments: state.cpus, pool }),
  }),
});

export const memoryProvider = (pool: MemoryPool): Provider<PinState> => ({
  containerHints: (pod, container, { memory }) => containerMemoryHints(pod, container, { assignments: memory, pool }),
  podHints: (pod, { memory }) => podMemoryHints(pod, { assignments: memory, pool }),
  allocate: (pod, container, hint, state) => ({
    ...state,
    memory: reserveBlocks(pod, container, hint, { assignments: state.memory, pool }),
  }),
});
