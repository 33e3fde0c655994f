import { SECRETS } from "../../../shared/api/refs.ts";
import { ignoreStale } from "../../../shared/api/status.ts";
import type { Secret } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";
import { expiryMs, isBootstrapToken } from "../bootstrap-token.ts";

/** A wait that every timer can hold; a token that lives longer is looked at again. */
const MAX_WAIT_MS = 24 * 3600_000;

/** Removes bootstrap tokens once they expire. */
export const tokenCleaner: ControllerDefinition = {
  name: "token-cleaner",
  serviceAccount: "token-cleaner",
  build({ api, clock, log, informer }) {
    const secrets = informer<Secret>(SECRETS);
    return {
      concurrency: 1,
      start(enqueue) {
        secrets.onEvent(({ type, object }) => {
          if (type !== "deleted" && isBootstrapToken(object) && expiryMs(object) < Number.POSITIVE_INFINITY)
            enqueue(keyOf(object));
        });
      },
      async reconcile(key) {
        const secret = secrets.get(key);
        if (!secret || !isBootstrapToken(secret)) return done;
        const leftMs = expiryMs(secret) - clock.nowMs();
        if (leftMs === Number.POSITIVE_INFINITY) return done;
        if (leftMs > 0) return { afterMs: Math.min(leftMs, MAX_WAIT_MS) };
        log.info("token-cleaner plan", { remove: key });
        const { name, namespace, uid } = secret.metadata;
        await api.delete(SECRETS, { name, namespace }, { uid }).catch(ignoreStale);
        return done;
      },
    };
  },
};
