import type { Strategy } from "./strategy.ts";

/** Every kind with rules of its own, by `<resource>.<group>`. */
export const strategies: Record<string, Strategy> = {};
