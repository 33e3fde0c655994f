import { percentile } from "../cluster/statistics.ts";

/** Where a pod is on its way, in the order in which they are passed. */
export const STAGES = [
  "asked for",
  "accepted",
  "bound to the node",
  "sandbox asked for",
  "sandbox there",
  "container asked for",
  "container there",
  "start asked for",
  "started",
  "seen as Ready",
] as const;
export type Stage = (typeof STAGES)[number];

/** When pods passed each stage: epoch milliseconds, by pod. */
export class Timeline {
  readonly #passed = new Map<string, Map<Stage, number>>();

  /** The first time counts. */
  note(pod: string, stage: Stage, atMs: number): void {
    const stages = this.#passed.get(pod) ?? new Map<Stage, number>();
    this.#passed.set(pod, stages);
    if (!stages.has(stage)) stages.set(stage, atMs);
  }

  /** Adds what containerd has logged of pods in the namespace default (level info, 1.6 and later). */
  noteRuntime(log: string): void {
    const podOf = new Map<string, string>();
    for (const line of log.split("\n")) {
      const { time, message } = /^time="(?<time>[^"]+)" level=info msg="(?<message>.*)"/.exec(line)?.groups ?? {};
      if (!time || !message) continue;
      const atMs = Date.parse(time);
      const ids = [...message.matchAll(/\b[0-9a-f]{64}\b/g)].map(([id]) => id);
      const pod = /^RunPodSandbox for &PodSandboxMetadata\{Name:([^,]+),Uid:[^,]*,Namespace:default,/.exec(
        message,
      )?.[1];
      if (pod) {
        this.note(pod, ids.length > 0 ? "sandbox there" : "sandbox asked for", atMs);
        if (ids[0]) podOf.set(ids[0], pod);
      }
      const of = podOf.get(ids[0] ?? "");
      if (!of) continue;
      if (message.startsWith("CreateContainer within")) {
        this.note(of, ids.length > 1 ? "container there" : "container asked for", atMs);
        if (ids[1]) podOf.set(ids[1], of);
      }
      if (message.startsWith("StartContainer for")) {
        this.note(of, message.endsWith("returns successfully") ? "started" : "start asked for", atMs);
      }
    }
  }

  /** The median, over these pods, of when each stage was passed after the first, and of what it took. */
  render(pods: readonly string[]): string {
    const lines = STAGES.flatMap((stage, index) => {
      const times = pods.flatMap((pod) => {
        const stages = this.#passed.get(pod);
        const [first, before, at] = [STAGES[0], STAGES[Math.max(0, index - 1)]!, stage].map((each) =>
          stages?.get(each),
        );
        return first === undefined || at === undefined ? [] : [{ at: at - first, took: at - (before ?? first) }];
      });
      if (times.length === 0) return [];
      const median = (values: number[]) => percentile(values, 0.5).toFixed(0).padStart(6);
      return `    ${stage.padEnd(20)}${median(times.map(({ at }) => at))} ms${median(times.map(({ took }) => took))} ms`;
    });
    return lines.join("\n");
  }
}
