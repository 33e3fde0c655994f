import type { JsonObject } from "../../shared/api/json.ts";

/** A subresource of a kind: what its parent is, and what is asked of it. `get` and `update` need no words of their own. */
export interface SubresourceRow {
  /** A strategic merge patch that it takes; for the verb `patch`. */
  patch?: JsonObject;
  /** What is posted, and what of the answer is known. */
  create?: { body: JsonObject; answer: JsonObject };
  /** Every verb is answered so: there is no node. A code without a message has no body. */
  refused?: { code: number; message?: string };
  /** Where below the subresource it is refused; a proxy leads elsewhere without a slash. */
  below?: string;
}

const SCALE: SubresourceRow = { patch: { spec: { replicas: 1 } } };
const NO_HOST: SubresourceRow = { refused: { code: 400, message: "pod contract-sub does not have a host assigned" } };

/** Keyed by `<group>/<version>/<resource>/<subresource>`; `status` is tried with the kind itself. */
export const SUBRESOURCE_ROWS: Record<string, SubresourceRow> = {
  "/v1/namespaces/finalize": {},
  "/v1/pods/attach": NO_HOST,
  "/v1/pods/exec": NO_HOST,
  "/v1/pods/portforward": NO_HOST,
  "/v1/nodes/proxy": { refused: { code: 503, message: "the node's agent is not connected" }, below: "/" },
  "/v1/pods/proxy": { refused: { code: 400, message: "address not allowed" }, below: "/" },
  "/v1/services/proxy": { refused: { code: 404, message: 'services "contract-sub" not found' }, below: "/" },
  "/v1/pods/log": { refused: { code: 204 } },
  "/v1/pods/ephemeralcontainers": {
    patch: { spec: { ephemeralContainers: [{ name: "debug", image: "example.com/debug:1" }] } },
  },
  "/v1/pods/resize": { patch: { spec: { containers: [{ name: "main", resources: {} }] } } },
  "/v1/pods/binding": {
    create: {
      body: { apiVersion: "v1", kind: "Binding", target: { kind: "Node", name: "none" } },
      answer: { kind: "Status", status: "Success" },
    },
  },
  "/v1/pods/eviction": {
    create: { body: { apiVersion: "policy/v1", kind: "Eviction" }, answer: { kind: "Status", status: "Success" } },
  },
  "/v1/replicationcontrollers/scale": SCALE,
  "/v1/serviceaccounts/token": {
    create: {
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: ["contract"] } },
      answer: { kind: "TokenRequest", spec: { audiences: ["contract"], expirationSeconds: 3600 } },
    },
  },
  "apps/v1/deployments/scale": SCALE,
  "apps/v1/replicasets/scale": SCALE,
  "apps/v1/statefulsets/scale": SCALE,
  "certificates.k8s.io/v1/certificatesigningrequests/approval": {
    patch: { status: { conditions: [{ type: "Approved", status: "True", reason: "Contract" }] } },
  },
};
