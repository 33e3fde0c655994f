import { CACHING } from "../../control-plane/controllers/caching.ts";
import {
  type ControllerDefinition,
  ControllerRunner,
  type Notes,
  type RunnerOptions,
  silentLog,
  systemClock,
} from "../../control-plane/runtime/index.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { MemoryApi } from "./memory-api.ts";

/**
 * Runs controllers against an API in memory; a second call plays an eviction (pass the same notes).
 * @param client what they write through, if it is not the API itself
 * @param caching by default the controllers'
 */
export function runControllers(
  api: MemoryApi,
  controllers: ControllerDefinition[],
  notes?: Notes,
  client: ApiClient = api,
  caching: RunnerOptions["caching"] = CACHING,
): ControllerRunner {
  const runner = controllerRunner({ controllers, client, caching, notes });
  api.onBatch = (batch) => runner.take(batch);
  runner.start();
  return runner;
}

/** A runner without an alarm of the platform's, that reads and writes through one client; it is not started. */
export const controllerRunner = ({
  controllers,
  client,
  caching,
  notes,
}: Pick<RunnerOptions, "controllers" | "caching" | "notes"> & { client: ApiClient }): ControllerRunner =>
  new ControllerRunner({
    controllers,
    clientFor: () => client,
    reader: client,
    caching,
    clock: systemClock,
    log: silentLog,
    notes,
    alarms: { setAlarm: async () => {}, deleteAlarm: async () => {} },
  });
