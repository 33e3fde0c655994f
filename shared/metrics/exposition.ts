export type MetricLabels = Readonly<Record<string, string>>;

/** What stands before the samples of a metric. */
export const metricHead = (name: string, type: "counter" | "gauge" | "histogram", help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

/** One value; labels may have any text. */
export function metricSample(name: string, labels: MetricLabels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replace(/[\\"\n]/g, escapeChar)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}

const escapeChar = (char: string): string => (char === "\n" ? "\\n" : `\\${char}`);

/** How often values fell between the bounds of a histogram, and what they make together. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** A bucket each bound, those above the last one at the end; not added up. */
  readonly #buckets: number[];
  #sum = 0;

  /** @param bounds the buckets' upper bounds, rising */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    this.#buckets[bucket < 0 ? this.#bounds.length : bucket]!++;
    this.#sum += value;
  }

  render(name: string, labels: MetricLabels): string[] {
    let total = 0;
    const lines = this.#buckets.map((count, at) => {
      total += count;
      return metricSample(`${name}_bucket`, { ...labels, le: String(this.#bounds[at] ?? "+Inf") }, total);
    });
    return [...lines, metricSample(`${name}_sum`, labels, this.#sum), metricSample(`${name}_count`, labels, total)];
  }
}
