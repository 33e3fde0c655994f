import { printGroupResource } from "../../shared/api/group-resource.ts";
import { CONFIG_MAPS } from "../../shared/api/refs.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { ConfigMap, Pod } from "../../shared/api/types.ts";
import { messageOf } from "../../shared/message-of.ts";
import type { Controller, ControllerDeps } from "../runtime/index.ts";
import {
  CONFIG_MAP,
  type Profile,
  parseSchedulerConfiguration,
  profilesOf,
  type SchedulerConfiguration,
} from "./profiles/index.ts";

type ChangeBatch = Parameters<NonNullable<Controller["onUncached"]>>[0];

export const SCHEDULER_NAME = "default-scheduler";

/** Who schedules a pod. */
export const schedulerOf = ({ spec }: Pod): string => spec?.schedulerName ?? SCHEDULER_NAME;

/** The profiles of the scheduler as they are configured now. */
export class LiveProfiles {
  readonly #deps: Pick<ControllerDeps, "api" | "events" | "log">;
  #profiles: ReadonlyMap<string, Profile> = profilesOf(parseSchedulerConfiguration(undefined));
  /** False: the configuration may be another than was read. */
  #isRead = false;

  constructor(deps: Pick<ControllerDeps, "api" | "events" | "log">) {
    this.#deps = deps;
  }

  /** Undefined: the pod is another scheduler's. */
  of(pod: Pod): Profile | undefined {
    return this.#profiles.get(schedulerOf(pod));
  }

  /** Of all ConfigMaps only one matters: it is read anew when it changes, and no others are kept. */
  takesNoteOf(batch: ChangeBatch): boolean {
    const key = `${CONFIG_MAP.namespace}/${CONFIG_MAP.name}`;
    const isConfigured = printGroupResource(batch) === printGroupResource(CONFIG_MAPS);
    if (!isConfigured || !batch.changes.some((change) => change.key === key)) return false;
    this.#isRead = false;
    return true;
  }

  /**
   * Reads the configuration if it may have changed. What is wrong with it is told in an event of the ConfigMap, and
   * leaves all as it was.
   * @returns the new one, if there is one
   * @throws what the API says
   */
  async refresh(): Promise<SchedulerConfiguration | undefined> {
    if (this.#isRead) return undefined;
    this.#isRead = true; // it may change while it is read
    const configMap = await this.#get();
    const { events, log } = this.#deps;
    try {
      const configuration = parseSchedulerConfiguration(configMap);
      this.#profiles = profilesOf(configuration);
      if (configMap) log.info("scheduler configured", { profiles: [...this.#profiles.keys()] });
      return configuration;
    } catch (error) {
      log.error("scheduler not configured", { error: String(error) });
      events.event(configMap!, "Warning", "InvalidConfiguration", messageOf(error));
      return undefined;
    }
  }

  async #get(): Promise<ConfigMap | undefined> {
    try {
      return await this.#deps.api.get<ConfigMap>(CONFIG_MAPS, CONFIG_MAP.name, CONFIG_MAP.namespace);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      this.#isRead = false;
      throw error;
    }
  }
}
