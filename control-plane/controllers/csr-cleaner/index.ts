import { CERTIFICATE_SIGNING_REQUESTS } from "../../../shared/api/refs.ts";
import { ignoreStale } from "../../../shared/api/status.ts";
import type { CertificateSigningRequest } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { expiryMs } from "./decide.ts";

/** Removes requests for certificates that are done with. */
export const csrCleaner: ControllerDefinition = {
  name: "csr-cleaner",
  serviceAccount: "certificate-controller",
  build({ api, clock, log, informer }) {
    const requests = informer<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS);
    return {
      concurrency: 1,
      start(enqueue) {
        requests.onEvent(({ type, object }) => {
          if (type !== "deleted") enqueue(object.metadata.name, Math.max(0, expiryMs(object) - clock.nowMs()));
        });
      },
      async reconcile(name) {
        const csr = requests.get(name);
        if (!csr) return done;
        const leftMs = expiryMs(csr) - clock.nowMs();
        if (leftMs > 0) return { afterMs: leftMs };
        log.info("csr-cleaner plan", { remove: name });
        await api.delete(CERTIFICATE_SIGNING_REQUESTS, { name }, { uid: csr.metadata.uid }).catch(ignoreStale);
        return done;
      },
    };
  },
};
