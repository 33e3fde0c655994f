import { CRON_JOBS, JOBS } from "../../../shared/api/refs.ts";
import type { CronJob, Job } from "../../../shared/api/types.ts";
import type { SimApi } from "../sim-api.ts";

const MINUTE_MS = 60_000;
const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/** A slot is started so late at most: the API may be away, or the controller asleep. */
const LATE_MS = 15 * MINUTE_MS;

/** The clock on the wall of a place: `12:30`. */
const wallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return (ms: number) => format.format(ms);
};

/** CronJobs whose slots are told by the wall clock alone, by the minute of it that they start at. */
const RULES: Record<string, (clock: string) => boolean> = {
  daily: (clock) => clock === "12:30",
  hourly: (clock) => clock.endsWith(":15"),
};

/** That each slot of a CronJob starts one Job, and nothing else does. */
export class CronSlots {
  readonly #api: SimApi;
  readonly #say: (violation: string) => void;
  /** By CronJob, the Job of each slot (epoch ms). */
  readonly #started = new Map<string, Map<number, string>>();
  readonly #beganMs = Date.now();

  constructor(api: SimApi, say: (violation: string) => void) {
    this.#api = api;
    this.#say = say;
  }

  onJobs(): void {
    for (const { metadata } of this.#api.all<Job>(JOBS)) {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === "CronJob")?.name ?? "";
      if (!(owner in RULES)) continue;
      const slotMs = Date.parse(metadata.annotations?.[SCHEDULED] ?? "");
      const slots = this.#started.get(owner) ?? new Map<number, string>();
      const before = slots.get(slotMs);
      if (before !== undefined && before !== metadata.uid)
        this.#say(`cronjob ${owner} started ${new Date(slotMs).toISOString()} twice`);
      if (before === undefined && (Date.now() < slotMs || Date.now() > slotMs + LATE_MS))
        this.#say(`cronjob ${owner} started the slot ${new Date(slotMs).toISOString()}`);
      slots.set(slotMs, metadata.uid ?? "");
      this.#started.set(owner, slots);
    }
  }

  /** @param untilMs up to which nothing suspended them */
  checkEnd(untilMs: number): void {
    for (const { metadata, spec } of this.#api.all<CronJob>(CRON_JOBS)) {
      const rule = RULES[metadata.name];
      if (!rule) continue;
      const clock = wallClock(spec.timeZone ?? "Etc/UTC");
      const started = this.#started.get(metadata.name) ?? new Map<number, string>();
      const firstMs = Math.ceil((this.#beganMs + MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
      for (let ms = firstMs; ms < untilMs - LATE_MS; ms += MINUTE_MS)
        if (rule(clock(ms)) && !started.has(ms))
          this.#say(`cronjob ${metadata.name} missed ${new Date(ms).toISOString()}`);
      for (const ms of started.keys())
        if (!rule(clock(ms))) this.#say(`cronjob ${metadata.name} has no slot at ${new Date(ms).toISOString()}`);
    }
  }
}
