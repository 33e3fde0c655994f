import type { KubeObject } from "../../shared/api/object.ts";
import type { Clock } from "../clock/index.ts";
import type { Service } from "./service-variables.ts";

/** How long a container's start waits for the first list. */
const FIRST_LIST_TIMEOUT_MS = 10_000;

/** The cluster's services, as the API told them or as they are remembered from the last run. */
export interface ServiceSource {
  isKnown(): boolean;
  /** Settles when they are known. */
  readonly known: Promise<void>;
  list(): KubeObject[];
}

export interface ServiceList {
  /**
   * The cluster's services, or those remembered from the last run.
   * @param mayBeMissing for pods that do not rely on the API: none are then as good as those that are not known
   * @throws Error in upstream's words if there are none of either: a container without KUBERNETES_SERVICE_HOST would
   *   never find the API
   */
  list(mayBeMissing: boolean): Promise<Service[]>;
}

export function createServiceList(source: ServiceSource, clock: Clock, signal: AbortSignal): ServiceList {
  return {
    async list(mayBeMissing) {
      if (!source.isKnown() && !mayBeMissing) {
        await Promise.race([source.known, clock.sleep(FIRST_LIST_TIMEOUT_MS, signal)]);
        if (!source.isKnown())
          throw new Error("services have not yet been read at least once, cannot construct envvars");
      }
      return source.list() as unknown as Service[];
    },
  };
}
