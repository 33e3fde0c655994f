import type { Job } from "../../../shared/api/types.ts";
import { keyOf, type Notes } from "../../runtime/index.ts";
import { type BackoffRecord, NO_FAILURES } from "./backoff.ts";

const PREFIX = "job-backoff/";

interface Note extends BackoffRecord {
  uid: string;
}

/** Back-off records that outlive the object's memory: without them the second failure would wait as short as the first. */
export class BackoffNotes {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  get(job: Job): BackoffRecord {
    const note = this.#notes.get<Note>(PREFIX + keyOf(job));
    return note && note.uid === job.metadata.uid ? note : NO_FAILURES;
  }

  put(job: Job, { failures, lastFailureMs }: BackoffRecord): void {
    const before = this.get(job);
    if (before.failures === failures && before.lastFailureMs === lastFailureMs) return;
    if (failures === 0) this.forget(keyOf(job));
    else this.#notes.put<Note>(PREFIX + keyOf(job), { uid: job.metadata.uid ?? "", failures, lastFailureMs });
  }

  forget(key: string): void {
    if (this.#notes.get(PREFIX + key) !== undefined) this.#notes.delete(PREFIX + key);
  }

  /** Keys of the Jobs of which something is noted. */
  keys(): string[] {
    return [...this.#notes.list<Note>(PREFIX)].map(([key]) => key.slice(PREFIX.length));
  }
}
