import { CERTIFICATE_SIGNING_REQUESTS } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { CertificateSigningRequest } from "../../../shared/api/types.ts";
import { parseCertificateRequest } from "../../../shared/pki/index.ts";
import { type ControllerDefinition, done, printTime } from "../../runtime/index.ts";
import { requestPem } from "../csr-conditions.ts";
import { decide } from "./decide.ts";

/** Signs with the cluster's CA. */
export type IssueCertificate = (request: {
  requestPem: string;
  usages: string[];
  ttlSeconds: number;
}) => Promise<{ certificatePem: string } | { error: string }>;

/** Signs the approved requests of Kubernetes' own signers (certificates.k8s.io/v1). */
export const csrSigningController = (issue: IssueCertificate): ControllerDefinition => ({
  name: "csr-signing",
  serviceAccount: "certificate-controller",
  build({ api, clock, log, informer }) {
    const requests = informer<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS);
    return {
      concurrency: 5,
      start(enqueue) {
        requests.onEvent(({ type, object }) => {
          if (type !== "deleted" && object.status?.conditions?.length && !object.status.certificate)
            enqueue(object.metadata.name);
        });
      },
      async reconcile(name) {
        const csr = requests.get(name);
        if (!csr) return done;
        const plan = decide(csr, () => parseCertificateRequest(requestPem(csr)));
        if (plan.step === "none") return done;
        log.info("csr-signing plan", { name, signer: csr.spec.signerName, ...plan });
        const status = plan.step === "fail" ? failed(csr, plan.message) : await signed(csr, plan);
        try {
          await api.update(CERTIFICATE_SIGNING_REQUESTS, { ...csr, status }, "status");
        } catch (error) {
          // Its change, if it is still there, brings the next look.
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
        return done;
      },
    };

    async function signed(csr: CertificateSigningRequest, plan: { usages: string[]; ttlSeconds: number }) {
      const { usages, ttlSeconds } = plan;
      const result = await issue({ requestPem: requestPem(csr), usages, ttlSeconds });
      if ("error" in result) throw new Error(`error auto signing csr: ${result.error}`);
      return { ...csr.status, certificate: btoa(result.certificatePem) };
    }

    function failed({ status }: CertificateSigningRequest, message: string) {
      const lastUpdateTime = printTime(clock.nowMs());
      const condition = { type: "Failed", status: "True", reason: "SignerValidationFailure", message, lastUpdateTime };
      return { ...status, conditions: [...(status?.conditions ?? []), condition] };
    }
  },
});
