import type { Pod } from "../../shared/api/types.ts";
import type { ControllerDeps } from "../runtime/index.ts";
import { EventSeriesRecorder } from "./event-series.ts";
import { schedulerOf } from "./live-profiles.ts";
import type { WriteDeps } from "./pod-writes.ts";

/** Writes under the names of the profiles: an Event says which scheduler it comes from. */
export class Writers {
  readonly #deps: Pick<ControllerDeps, "api" | "clock" | "log">;
  readonly #byScheduler = new Map<string, WriteDeps>();

  constructor(deps: Pick<ControllerDeps, "api" | "clock" | "log">) {
    this.#deps = deps;
  }

  for(pod: Pod): WriteDeps {
    const controller = schedulerOf(pod);
    const { api, clock, log } = this.#deps;
    const writer = this.#byScheduler.get(controller) ?? {
      api,
      clock,
      events: new EventSeriesRecorder({ api, controller, clock, log }),
    };
    this.#byScheduler.set(controller, writer);
    return writer;
  }
}
