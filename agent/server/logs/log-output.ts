import { type LogLine, nanosOf, printTimestamp } from "./cri-line.ts";
import type { LogOptions } from "./log-options.ts";

const NEWLINE = 0x0a;

/** Turns lines of the file into what the client reads: filters by time, adds timestamps, counts bytes and lines. */
export class LogOutput {
  readonly #options: LogOptions;
  /** Lines still wanted. A tail that follows goes on for ever; only its start was counted. */
  #linesLeft: number;
  #bytesLeft: number;
  #isNewLine = true;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#linesLeft = options.tailLines !== undefined && !options.follow ? options.tailLines : Number.POSITIVE_INFINITY;
    this.#bytesLeft = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Nothing more will be put out. */
  get isDone(): boolean {
    return this.#linesLeft <= 0 || this.#bytesLeft <= 0;
  }

  /** The bytes for this line; empty when it is left out. */
  render(line: LogLine): Buffer {
    if (this.isDone) return Buffer.alloc(0);
    const bytes = this.#isWanted(line) ? this.#cut(this.#withTimestamp(line)) : Buffer.alloc(0);
    this.#linesLeft--;
    // The parts of a long line carry one timestamp.
    this.#isNewLine = line.content.length === 0 || line.content[line.content.length - 1] === NEWLINE;
    return bytes;
  }

  #isWanted({ timestamp }: LogLine): boolean {
    const { sinceNanos } = this.#options;
    return sinceNanos === undefined || nanosOf(timestamp) >= sinceNanos;
  }

  #withTimestamp({ timestamp, content }: LogLine): Buffer {
    if (!this.#options.timestamps || !this.#isNewLine) return content;
    return Buffer.concat([Buffer.from(`${printTimestamp(timestamp)} `), content]);
  }

  #cut(bytes: Buffer): Buffer {
    const kept = bytes.subarray(0, this.#bytesLeft);
    this.#bytesLeft -= kept.length;
    return kept;
  }
}
