import { CERTIFICATE_SIGNING_REQUESTS, SUBJECT_ACCESS_REVIEWS } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { CertificateSigningRequest, SubjectAccessReview } from "../../../shared/api/types.ts";
import { parseCertificateRequest } from "../../../shared/pki/index.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { requestPem } from "../csr-conditions.ts";
import { type Approval, approvalsFor } from "./decide.ts";

/** Approves the client certificates of nodes, where whoever asks has the right to (NodeClient, SelfNodeClient). */
export const csrApprovingController: ControllerDefinition = {
  name: "csr-approving",
  serviceAccount: "certificate-controller",
  build({ api, log, informer }) {
    const requests = informer<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS);
    return {
      concurrency: 5,
      start(enqueue) {
        requests.onEvent(({ type, object }) => {
          if (type !== "deleted" && !object.status?.conditions?.length) enqueue(object.metadata.name);
        });
      },
      async reconcile(name) {
        const csr = requests.get(name);
        if (!csr) return done;
        const approvals = approvalsFor(csr, () => parseCertificateRequest(requestPem(csr)));
        for (const approval of approvals) {
          if (!(await isAllowed(csr, approval))) continue;
          log.info("csr-approving plan", { name, approval: approval.subresource });
          await approve(csr, approval);
          return done;
        }
        // Rights may come: it is looked at again, with back-off, for as long as it is there.
        if (approvals.length > 0)
          throw new Error(
            `recognized csr ${JSON.stringify(name)} as [${approvals.map(({ subresource }) => subresource).join(" ")}] but subject access review was not approved`,
          );
        return done;
      },
    };

    async function isAllowed({ spec }: CertificateSigningRequest, { subresource }: Approval): Promise<boolean> {
      const { username: user, uid, groups, extra } = spec;
      const review = await api.create<SubjectAccessReview>(SUBJECT_ACCESS_REVIEWS, {
        metadata: { name: "" },
        spec: {
          ...(user ? { user } : {}),
          ...(uid ? { uid } : {}),
          ...(groups ? { groups } : {}),
          ...(extra ? { extra } : {}),
          resourceAttributes: {
            group: "certificates.k8s.io",
            resource: "certificatesigningrequests",
            verb: "create",
            subresource,
            version: "*",
          },
        },
      });
      return review.status?.allowed === true;
    }

    async function approve(csr: CertificateSigningRequest, { message }: Approval): Promise<void> {
      const condition = { type: "Approved", status: "True", reason: "AutoApproved", message };
      const conditions = [...(csr.status?.conditions ?? []), condition];
      try {
        const approved = { ...csr, status: { ...csr.status, conditions } };
        await api.update(CERTIFICATE_SIGNING_REQUESTS, approved, "approval");
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
  },
};
