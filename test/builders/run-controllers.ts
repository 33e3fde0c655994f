import { CACHING } from "../../control-plane/controllers/caching.ts";
import {
  type ControllerDefinition,
  ControllerRunner,
  type Notes,
  silentLog,
  systemClock,
} from "../../control-plane/runtime/index.ts";
import type { MemoryApi } from "./memory-api.ts";

/** Runs controllers against an API in memory; a second call plays an eviction (pass the same notes). */
export function runControllers(api: MemoryApi, controllers: ControllerDefinition[], notes?: Notes): ControllerRunner {
  const runner = new ControllerRunner({
    controllers,
    clientFor: () => api,
    reader: api,
    caching: CACHING,
    clock: systemClock,
    log: silentLog,
    notes,
    alarms: { setAlarm: async () => {}, deleteAlarm: async () => {} },
  });
  api.onBatch = (batch) => runner.take(batch);
  runner.start();
  return runner;
}
