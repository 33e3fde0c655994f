import { Histogram } from "../../../shared/metrics/index.ts";
import { isLongRunning, type RequestLabels } from "./request-labels.ts";

/** Upper bounds of the histogram's buckets in seconds, upstream's. */
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Of labels for which something is kept: what comes past it is counted nowhere. */
export const MAX_SERIES = 4_000;

export interface DurationSeries {
  labels: RequestLabels;
  seconds: Histogram;
}

export interface CountSeries {
  labels: RequestLabels;
  code: number;
  count: number;
}

/** What one isolate has answered for one cluster since it began. */
export class RequestMetrics {
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly inFlight = { mutating: 0, readOnly: 0 };
  readonly #counts = new Map<string, CountSeries>();
  readonly #durations = new Map<string, DurationSeries>();

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  observe(labels: RequestLabels, code: number, seconds: number): void {
    const { verb, group, version, resource, subresource, scope, dryRun } = labels;
    const key = `${verb} ${group} ${version} ${resource} ${subresource} ${scope} ${dryRun}`;
    const count = entryOf(this.#counts, `${key} ${code}`, () => ({ labels, code, count: 0 }));
    if (count) count.count++;
    if (isLongRunning(labels)) return;
    const duration = entryOf(this.#durations, key, () => ({
      labels,
      seconds: new Histogram(DURATION_BUCKETS),
    }));
    duration?.seconds.observe(seconds);
  }

  get counts(): Iterable<CountSeries> {
    return this.#counts.values();
  }

  get durations(): Iterable<DurationSeries> {
    return this.#durations.values();
  }
}

function entryOf<T>(series: Map<string, T>, key: string, make: () => T): T | undefined {
  const known = series.get(key);
  if (known || series.size >= MAX_SERIES) return known;
  const made = make();
  series.set(key, made);
  return made;
}
