/**
 * How much a random test does. A quick run repeats what it did before; a nightly one (HEARTH_NIGHTLY=1, see
 * docs/contributing.md) does more, from a seed of its own that its titles and failures name. HEARTH_SEED repeats one.
 */
export interface Effort {
  isNightly: boolean;
  /** Of a nightly run; undefined: each test's own. */
  seed: number | undefined;
}

declare module "vitest" {
  interface ProvidedContext {
    effort: Effort;
  }
}

/** For `provide` of a vitest config: tests inside workerd do not see the environment. */
export function effortFromEnvironment(env: Record<string, string | undefined>, nowMs: number): Effort {
  const isNightly = env["HEARTH_NIGHTLY"] === "1";
  const given = Number.parseInt(env["HEARTH_SEED"] ?? "", 10);
  const seed = Number.isInteger(given) ? given : undefined;
  return { isNightly, seed: seed ?? (isNightly ? Math.floor(nowMs / 1000) : undefined) };
}

/** A test's seed and how often it rolls. */
export function rolls(
  effort: Effort,
  usual: { seed: number; times: number; nightlyTimes?: number },
): { seed: number; times: number } {
  const times = effort.isNightly ? (usual.nightlyTimes ?? usual.times * NIGHTLY_FACTOR) : usual.times;
  return { seed: effort.seed ?? usual.seed, times };
}

const NIGHTLY_FACTOR = 20;
