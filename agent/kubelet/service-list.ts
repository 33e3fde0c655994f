import type { KubeObject } from "../../shared/api/object.ts";
import { SERVICES } from "../../shared/api/refs.ts";
import type { AgentState } from "../state/index.ts";
import type { Clock } from "./clock.ts";
import type { Feed } from "./feed.ts";
import type { Log } from "./log.ts";
import type { Service } from "./service-variables.ts";

/** Many changes at once are one write. */
const SAVE_DELAY_MS = 1_000;
/** How long a container's start waits for the first list. */
const FIRST_LIST_TIMEOUT_MS = 10_000;

export interface ServiceList {
  /**
   * The cluster's services, or those remembered from the last run.
   * @param mayBeMissing for pods that do not rely on the API: none are then as good as those that are not known
   * @throws Error in upstream's words if there are none of either: a container without KUBERNETES_SERVICE_HOST would
   *   never find the API
   */
  list(mayBeMissing: boolean): Promise<Service[]>;
}

export async function followServices({
  feed,
  state,
  clock,
  log,
  signal,
}: {
  feed: Feed;
  state: AgentState;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): Promise<ServiceList> {
  const remembered = await state.services();
  const services = new Map((remembered ?? []).map((service) => [keyOf(service), service]));
  let isKnown = remembered !== undefined;
  let onFirst = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  let saving = false;

  async function save(): Promise<void> {
    if (saving) return;
    saving = true;
    await clock.sleep(SAVE_DELAY_MS, signal);
    saving = false;
    await state.saveServices([...services.values()]).catch((error: unknown) => {
      log("error", "cannot remember the services on the disk", { error: String(error) });
    });
  }

  feed(
    SERVICES,
    {},
    {
      replace(list) {
        services.clear();
        for (const service of list) services.set(keyOf(service), service);
        isKnown = true;
        onFirst();
        void save();
      },
      upsert(service) {
        services.set(keyOf(service), service);
        void save();
      },
      remove(service) {
        services.delete(keyOf(service));
        void save();
      },
    },
    signal,
  );

  return {
    async list(mayBeMissing) {
      if (!isKnown && !mayBeMissing) await Promise.race([first, clock.sleep(FIRST_LIST_TIMEOUT_MS, signal)]);
      if (!isKnown && !mayBeMissing)
        throw new Error("services have not yet been read at least once, cannot construct envvars");
      return [...services.values()] as unknown as Service[];
    },
  };
}

const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
