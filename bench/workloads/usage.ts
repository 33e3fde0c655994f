import { treeCpuMs, treeWaitMs } from "../../test/harness/process-tree.ts";

/**
 * What the processes of a control plane take. On a machine that others use too, the processor time is a steadier figure
 * than the time, and the wait for a processor tells how much of the time was not theirs.
 */
export class Usage {
  readonly #pid: number;
  #cpuMs = 0;
  #waitMs = 0;

  constructor(pid: number) {
    this.#pid = pid;
  }

  restart(): void {
    this.#cpuMs = treeCpuMs(this.#pid);
    this.#waitMs = treeWaitMs(this.#pid);
  }

  /** Since `restart`, as text. */
  show(pods: number): string {
    const cpuMs = treeCpuMs(this.#pid) - this.#cpuMs;
    const waitMs = treeWaitMs(this.#pid) - this.#waitMs;
    return `${(cpuMs / 1000).toFixed(2)} s, ${(cpuMs / pods).toFixed(1)} ms a pod; ${(waitMs / 1000).toFixed(2)} s in the queue for one`;
  }
}
