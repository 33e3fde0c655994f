import type { Clock } from "./clock.ts";

/** Sooner than this a timer of the process is cheaper than an alarm; the object is awake then anyway. */
const TIMER_MAX_DELAY_MS = 1_000;
/** An object that dies with work in hand is woken after so long, to begin again from a list. */
const GUARD_MS = 60_000;
/** An alarm is taken back only after the object was quiet for so long: each write of it is billed, and costs a commit. */
const SETTLE_MS = 2_000;

/** The platform's one alarm of a Durable Object (DurableObjectStorage has these methods). */
export interface AlarmStore {
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/**
 * Calls `onDue` when something asked for is due: by a short timer, or by the object's alarm, which also wakes it after
 * it was evicted. One alarm at a time, at the earliest; with nothing asked for there is in the end no timer and no alarm.
 */
export class WakeUps {
  readonly #clock: Clock;
  readonly #alarms: AlarmStore;
  readonly #onDue: () => void;
  #timer: { atMs: number; id: ReturnType<typeof setTimeout> } | undefined;
  #settle: ReturnType<typeof setTimeout> | undefined;
  /** What the platform was last told; undefined: no alarm. */
  #alarmAtMs: number | undefined;
  #wantedAtMs: number | undefined;
  #writing: Promise<void> | undefined;

  /** @param options.alarmAtMs the alarm that is set already (getAlarm), when the object starts */
  constructor(options: { clock: Clock; alarms: AlarmStore; onDue: () => void; alarmAtMs?: number | null }) {
    this.#clock = options.clock;
    this.#alarms = options.alarms;
    this.#onDue = options.onDue;
    this.#alarmAtMs = options.alarmAtMs ?? undefined;
  }

  /**
   * Replaces what was asked for before.
   * @param dueAtMs the earliest time (epoch ms) at which there is something to do; undefined: never
   * @param isBusy work is in hand that must be begun again should the object die
   */
  set(dueAtMs: number | undefined, isBusy: boolean): void {
    const nowMs = this.#clock.nowMs();
    const isSoon = dueAtMs !== undefined && dueAtMs - nowMs <= TIMER_MAX_DELAY_MS;
    this.#setTimer(isSoon ? dueAtMs : undefined, nowMs);
    // Rounded up, so that a busy object does not write its alarm with every change.
    const guardAtMs = isBusy || isSoon ? (Math.floor(nowMs / GUARD_MS) + 2) * GUARD_MS : undefined;
    this.#wantedAtMs = isSoon ? guardAtMs : earlier(dueAtMs, guardAtMs);
    if (this.#wantedAtMs === this.#alarmAtMs) return;
    const isLater = this.#alarmAtMs !== undefined && (this.#wantedAtMs ?? Number.POSITIVE_INFINITY) > this.#alarmAtMs;
    if (!isLater) this.#startWriting();
    else
      this.#settle ??= setTimeout(() => {
        this.#settle = undefined;
        this.#startWriting();
      }, SETTLE_MS);
  }

  /** The platform's alarm went off: it is no longer set. */
  alarmFired(): void {
    this.#alarmAtMs = undefined;
    this.#onDue();
  }

  /** Resolves when alarms asked for, save those put off to `SETTLE_MS`, are stored. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #setTimer(atMs: number | undefined, nowMs: number): void {
    if (this.#timer?.atMs === atMs) return;
    if (this.#timer) clearTimeout(this.#timer.id);
    this.#timer = undefined;
    if (atMs === undefined) return;
    const id = setTimeout(
      () => {
        this.#timer = undefined;
        this.#onDue();
      },
      Math.max(0, atMs - nowMs),
    );
    this.#timer = { atMs, id };
  }

  #startWriting(): void {
    if (this.#writing) return;
    this.#writing = this.#writeAlarm().finally(() => {
      this.#writing = undefined;
    });
    // Whoever waits for it hears of it; nobody else can do anything but try again, as the next change does.
    this.#writing.catch((error: unknown) => console.error("an alarm could not be stored", error));
  }

  /** Writes until what the platform has is what is wanted. */
  async #writeAlarm(): Promise<void> {
    await undefined; // several calls of one turn make one write
    while (this.#alarmAtMs !== this.#wantedAtMs) {
      const wanted = this.#wantedAtMs;
      if (wanted === undefined) await this.#alarms.deleteAlarm();
      else await this.#alarms.setAlarm(wanted);
      this.#alarmAtMs = wanted;
    }
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
