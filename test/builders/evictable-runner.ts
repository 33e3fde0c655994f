import {
  type ControllerDefinition,
  ControllerRunner,
  type Notes,
  type RunnerOptions,
  silentLog,
  systemClock,
} from "../../control-plane/runtime/index.ts";
import type { ChangeBatch } from "../../control-plane/storage/interface.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { memoryNotes } from "./memory-notes.ts";

export interface EvictableOptions {
  controllers(): ControllerDefinition[];
  caching: RunnerOptions["caching"];
  /** A client for one life: once that is over it must neither carry out nor answer anything. */
  clientFor(serviceAccount: string, isDead: () => boolean): ApiClient;
}

/** A timer that waits longer fires at once; the platform's alarms do not. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Controllers in a Durable Object as the platform treats it: it is made when a change or its alarm comes, can lose its
 * memory at any moment, and keeps its notes and its alarm. Nobody makes it anew but a change or the alarm.
 */
export class EvictableRunner {
  readonly #options: EvictableOptions;
  readonly #notes: Notes = memoryNotes();
  #runner: ControllerRunner | undefined;
  #life = 0;
  #alarm: { atMs: number; id: ReturnType<typeof setTimeout> } | undefined;

  constructor(options: EvictableOptions) {
    this.#options = options;
  }

  get isAlive(): boolean {
    return this.#runner !== undefined;
  }

  take(batch: ChangeBatch): void {
    const runner = this.#running();
    runner.take(batch);
    runner.start();
  }

  wake(): void {
    this.#running().start();
  }

  /** Whatever is in hand is never finished, and nobody hears of it. */
  kill(): void {
    this.#life += 1;
    this.#runner = undefined;
  }

  #running(): ControllerRunner {
    this.#runner ??= this.#build();
    return this.#runner;
  }

  #build(): ControllerRunner {
    const { controllers, caching, clientFor } = this.#options;
    const life = this.#life;
    const isDead = () => this.#life !== life;
    return new ControllerRunner({
      controllers: controllers(),
      clientFor: (serviceAccount) => clientFor(serviceAccount, isDead),
      reader: clientFor("shared-informers", isDead),
      caching,
      clock: systemClock,
      log: silentLog,
      notes: this.#notesOf(isDead),
      alarms: {
        setAlarm: async (atMs) => void (isDead() || this.#setAlarm(atMs)),
        deleteAlarm: async () => void (isDead() || this.#setAlarm(undefined)),
      },
      alarmAtMs: this.#alarm?.atMs,
    });
  }

  #notesOf(isDead: () => boolean): Notes {
    const notes = this.#notes;
    return {
      get: (key) => notes.get(key),
      list: (prefix) => notes.list(prefix),
      put: (key, value) => void (isDead() || notes.put(key, structuredClone(value))),
      delete: (key) => void (isDead() || notes.delete(key)),
    };
  }

  #setAlarm(atMs: number | undefined): void {
    if (this.#alarm) clearTimeout(this.#alarm.id);
    this.#alarm = undefined;
    if (atMs === undefined) return;
    const leftMs = Math.max(0, atMs - Date.now());
    const ring = () => {
      if (leftMs > MAX_TIMER_MS) return this.#setAlarm(atMs);
      this.#alarm = undefined;
      void this.#running().alarm();
    };
    this.#alarm = { atMs, id: setTimeout(ring, Math.min(leftMs, MAX_TIMER_MS)) };
  }
}
