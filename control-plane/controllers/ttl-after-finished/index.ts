import { JOBS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Job } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf, type Requeue, requeueAfter, splitKey } from "../../runtime/index.ts";
import { remainingTtlMs } from "./decide.ts";

/** Deletes Jobs, and their pods with them, so long after they ended as they say themselves. */
export const ttlAfterFinishedController: ControllerDefinition = {
  name: "ttl-after-finished",
  serviceAccount: "ttl-after-finished-controller",
  build({ api, clock, log, informer }) {
    const jobs = informer<Job>(JOBS);
    return {
      concurrency: 5,
      start(enqueue) {
        jobs.onEvent(({ type, object }) => {
          if (type !== "deleted" && remainingTtlMs(object, clock.nowMs()) !== undefined) enqueue(keyOf(object));
        });
      },
      async reconcile(key): Promise<Requeue> {
        const job = jobs.get(key);
        const remainingMs = job && remainingTtlMs(job, clock.nowMs());
        if (remainingMs === undefined || remainingMs > 0) return requeueAfter(remainingMs);
        return remove(key);
      },
    };

    /** The cache may be behind: a TTL that was raised in time counts. */
    async function remove(key: string): Promise<Requeue> {
      const { namespace, name } = splitKey(key);
      try {
        const fresh = await api.get<Job>(JOBS, name, namespace);
        const remainingMs = remainingTtlMs(fresh, clock.nowMs());
        if (remainingMs === undefined || remainingMs > 0) return requeueAfter(remainingMs);
        log.info("ttl-after-finished plan", { remove: key });
        await api.delete(JOBS, { name, namespace }, { uid: fresh.metadata.uid, propagationPolicy: "Foreground" });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return done;
    }
  },
};
