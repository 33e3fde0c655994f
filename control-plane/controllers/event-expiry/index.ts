import { DEPLOYMENTS, EVENTS, NODES, PODS } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { Event } from "../../../shared/api/types.ts";
import { type ControllerDefinition, type Enqueue, requeueAfter } from "../../runtime/index.ts";
import { decide, EVENT_TTL_MS } from "./decide.ts";

/** There is one thing to do, for all Events. */
const KEY = "events";
/** When the next look is due (epoch ms): waking for another reason must not cost a list of all Events. */
const DUE_NOTE = "event-expiry/due";
/** Deletions at the same time. */
const PARALLEL = 10;

/**
 * Removes Events an hour after they were last written. Events are not fed to controllers (they would wake them for
 * nothing); what they tell of is: with the first change after a quiet time a look an hour later is planned.
 */
export const eventExpiry: ControllerDefinition = {
  name: "event-expiry",
  serviceAccount: "event-expiry-controller",
  build({ api, clock, log, notes, informer }) {
    return {
      concurrency: 1,
      start(enqueue) {
        const dueMs = notes.get<number>(DUE_NOTE);
        if (dueMs !== undefined) enqueue(KEY, Math.max(0, dueMs - clock.nowMs()));
        for (const ref of [PODS, NODES, DEPLOYMENTS]) informer(ref).onEvent(() => plan(enqueue));
      },
      async reconcile() {
        const { items } = await api.listAll<Event>(EVENTS);
        const plan = decide(items, clock.nowMs());
        if (plan.remove.length > 0)
          log.info("event-expiry plan", { remove: plan.remove.length, recheckAfterMs: plan.recheckAfterMs });
        let isOneLeft = false;
        for (let i = 0; i < plan.remove.length; i += PARALLEL) {
          const removed = await Promise.all(plan.remove.slice(i, i + PARALLEL).map(remove));
          isOneLeft ||= removed.includes(false);
        }
        const afterMs = plan.recheckAfterMs ?? (isOneLeft ? EVENT_TTL_MS : undefined);
        noteDue(afterMs);
        return requeueAfter(afterMs);
      },
    };

    /** The first change after a quiet time; later ones find a look planned. */
    function plan(enqueue: Enqueue): void {
      if (notes.get<number>(DUE_NOTE) !== undefined) return;
      noteDue(EVENT_TTL_MS);
      enqueue(KEY, EVENT_TTL_MS);
    }

    function noteDue(afterMs: number | undefined): void {
      if (afterMs === undefined) notes.delete(DUE_NOTE);
      else notes.put(DUE_NOTE, clock.nowMs() + afterMs);
    }

    /** @returns false for one that was written again meanwhile */
    async function remove({ metadata }: Event): Promise<boolean> {
      const { uid, resourceVersion } = metadata;
      try {
        await api.delete(EVENTS, metadata, { uid, resourceVersion });
      } catch (error) {
        if (isConflict(error)) return false;
        if (!isNotFound(error)) throw error;
      }
      return true;
    }
  },
};
