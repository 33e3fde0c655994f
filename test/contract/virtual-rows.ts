import type { JsonObject } from "../../shared/api/json.ts";

/** A kind that is not stored: what is asked, and what must be in the answer. */
export interface VirtualRow {
  /** All but apiVersion and kind. */
  body?: JsonObject;
  /** A pod, named as the object is, that must be there. */
  needs?: JsonObject;
  /** A part of the answer to the create. */
  answer?: JsonObject;
}

const QUESTION = { namespace: "contract", verb: "get", resource: "pods" };
const ALLOWED = { allowed: true };

/** Keyed by `<group>/<version>/<resource>`. */
export const VIRTUAL_ROWS: Record<string, VirtualRow> = {
  "/v1/bindings": {
    needs: { kind: "Pod", spec: { containers: [{ name: "main", image: "example.com/none:1" }] } },
    body: { target: { kind: "Node", name: "none" } },
    answer: { kind: "Status", status: "Success", code: 201 },
  },
  "/v1/componentstatuses": {},
  "authentication.k8s.io/v1/selfsubjectreviews": {
    body: {},
    answer: { kind: "SelfSubjectReview", status: { userInfo: {} } },
  },
  "authentication.k8s.io/v1/tokenreviews": {
    body: { spec: { token: "wrong" } },
    answer: { kind: "TokenReview", status: { user: {} } },
  },
  "authorization.k8s.io/v1/localsubjectaccessreviews": {
    body: { metadata: { namespace: "contract" }, spec: { user: "nobody", resourceAttributes: QUESTION } },
    answer: { kind: "LocalSubjectAccessReview", status: { allowed: false } },
  },
  "authorization.k8s.io/v1/selfsubjectaccessreviews": {
    body: { spec: { resourceAttributes: QUESTION } },
    answer: { kind: "SelfSubjectAccessReview", status: ALLOWED },
  },
  "authorization.k8s.io/v1/selfsubjectrulesreviews": {
    body: { spec: { namespace: "contract" } },
    answer: { kind: "SelfSubjectRulesReview", status: { incomplete: false } },
  },
  "authorization.k8s.io/v1/subjectaccessreviews": {
    body: { spec: { user: "me", groups: ["system:masters"], resourceAttributes: QUESTION } },
    answer: { kind: "SubjectAccessReview", status: ALLOWED },
  },
};
