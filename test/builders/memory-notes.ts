import type { Notes } from "../../control-plane/runtime/index.ts";

/** Notes that outlive a runner: pass them to the next one. */
export function memoryNotes(): Notes {
  const map = new Map<string, unknown>();
  return {
    get: <T>(key: string) => map.get(key) as T | undefined,
    put: (key, value) => void map.set(key, value),
    delete: (key) => void map.delete(key),
    list: <T>(prefix: string) => [...map].filter(([key]) => key.startsWith(prefix)) as [string, T][],
  };
}
