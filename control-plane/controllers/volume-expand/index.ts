import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from "../../../shared/api/refs.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";
import { decide, hasGrown } from "./decide.ts";

/** Tells claims that were made larger who has to do it: making volumes larger is their drivers'. */
export const volumeExpandController: ControllerDefinition = {
  name: "volume-expand",
  serviceAccount: "expand-controller",
  eventSource: "volume_expand",
  build({ events, log, informer }) {
    const claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    const volumes = informer<PersistentVolume>(PERSISTENT_VOLUMES);
    return {
      concurrency: 1,
      start(enqueue) {
        // Changes alone: what was found at a start has been told.
        claims.onEvent((event) => {
          if (event.type === "updated" && hasGrown(event.old, event.object)) enqueue(keyOf(event.object));
        });
      },
      async reconcile(key) {
        const claim = claims.get(key);
        const notice = claim && decide(claim, volumes.get(claim.spec?.volumeName ?? ""));
        if (!notice) return done;
        log.info("volume-expand plan", { key, ...notice });
        events.event(claim, notice.type, "ExternalExpanding", notice.message);
        return done;
      },
    };
  },
};
