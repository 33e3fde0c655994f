import { z } from "zod";

/** Pods in one answer: far more than one workload has; a longer list is not the metrics API's. */
const MAX_ITEMS = 20_000;
const quantity = z.string().max(128);
const name = z.string().max(253);

/** metrics.k8s.io PodMetricsList, what is read of it. */
export const podMetricsList = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name }),
        timestamp: z.string().max(64),
        window: z.string().max(64),
        containers: z.array(z.object({ name, usage: z.record(z.string().max(317), quantity) })).max(1000),
      }),
    )
    .max(MAX_ITEMS),
});

/** custom.metrics.k8s.io MetricValueList, what is read of it. */
export const customMetricList = z.object({
  items: z
    .array(
      z.object({
        describedObject: z.object({ name }),
        timestamp: z.string().max(64),
        windowSeconds: z.number().nonnegative().nullish(),
        value: quantity,
      }),
    )
    .max(MAX_ITEMS),
});
export type CustomMetrics = z.infer<typeof customMetricList>;

/** external.metrics.k8s.io ExternalMetricValueList, what is read of it. */
export const externalMetricList = z.object({ items: z.array(z.object({ value: quantity })).max(MAX_ITEMS) });

/** @throws Error for an answer of another shape: metrics come from a server of the user's */
export function parseMetrics<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw new Error(`the answer is none of the metrics API: ${parsed.error.issues[0]?.message}`);
  return parsed.data;
}

const UNIT_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 };

/** Milliseconds of a Go duration, `30s`, `1m0s`; 0 for what is none. */
export function windowMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  return total;
}
