import { LEASES } from "../../shared/api/refs.ts";
import { isAlreadyExists } from "../../shared/api/status.ts";
import { printMicroTime } from "../../shared/api/timestamp.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";

const LEASE_NAMESPACE = "kube-node-lease";
/** The kubelet's nodeLeaseDurationSeconds. */
const LEASE_SECONDS = 40;

/**
 * Makes the node's Lease; may be repeated. It is written this once: the tunnel's pings renew it, since the API server
 * gives `renewTime` as the last of them, and a write every ten seconds would be paid for every ten seconds.
 */
export async function ensureLease(api: ApiClient, node: { name: string; uid: string }, nowMs: number): Promise<void> {
  const lease = {
    metadata: {
      name: node.name,
      namespace: LEASE_NAMESPACE,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid }],
    },
    spec: {
      holderIdentity: node.name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: printMicroTime(nowMs),
    },
  };
  await api.create(LEASES, lease).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
