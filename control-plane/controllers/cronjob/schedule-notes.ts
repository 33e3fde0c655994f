import type { CronJob } from "../../../shared/api/types.ts";
import { keyOf, type Notes } from "../../runtime/index.ts";

const PREFIX = "cronjob-schedule/";

interface Note {
  uid: string;
  schedule: string;
  zone: string;
  /** The change that brought this schedule; undefined: it never was changed. */
  change?: { resourceVersion: string; atMs: number };
}

/**
 * Remembers when a schedule was changed: slots that the new one would have had before are not made up for, unless the
 * CronJob is changed once more (upstream looks at it again then, and finds them). Written down, since the change itself
 * may be what wakes the object; one row a CronJob and one a change.
 */
export class ScheduleNotes {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** To be told of every version of a CronJob. */
  notice(cronJob: CronJob, nowMs: number): void {
    const { schedule, timeZone: zone = "" } = cronJob.spec;
    const { uid = "", resourceVersion = "" } = cronJob.metadata;
    const note = this.#notes.get<Note>(PREFIX + keyOf(cronJob));
    const isKnown = note?.uid === uid;
    if (isKnown && note.schedule === schedule && note.zone === zone) return;
    const change = isKnown ? { change: { resourceVersion, atMs: nowMs } } : {};
    this.#notes.put<Note>(PREFIX + keyOf(cronJob), { uid, schedule, zone, ...change });
  }

  /** The time (epoch ms) up to which slots are not run; undefined: all are. */
  notBeforeMs(cronJob: CronJob): number | undefined {
    const change = this.#notes.get<Note>(PREFIX + keyOf(cronJob))?.change;
    return change?.resourceVersion === cronJob.metadata.resourceVersion ? change?.atMs : undefined;
  }

  forget(key: string): void {
    if (this.#notes.get(PREFIX + key) !== undefined) this.#notes.delete(PREFIX + key);
  }

  /** Keys of the CronJobs of which something is noted. */
  keys(): string[] {
    return [...this.#notes.list<Note>(PREFIX)].map(([key]) => key.slice(PREFIX.length));
  }
}
