import type { KubeObject } from "../../../shared/api/object.ts";
import { printMicroTime } from "../../../shared/api/timestamp.ts";
import { LEADERS, LEASE_IDENTITY_LABEL } from "../lease-renewal.ts";

const LEASE_SECONDS = 3_600;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const NAME_CHARS = 26;

/**
 * The Lease by which clients count API servers: one a cluster, since its many isolates are one to its clients. It is
 * never written again: whoever reads it is told that it was renewed at that moment (lease-renewal.ts).
 * @see KEP-1965
 */
export async function apiServerLease(cluster: string, nowMs: number): Promise<KubeObject> {
  const name = `apiserver-${await nameHash(cluster)}`;
  return {
    metadata: {
      name,
      namespace: "kube-system",
      labels: { [LEASE_IDENTITY_LABEL]: "kube-apiserver", "kubernetes.io/hostname": cluster },
    },
    spec: {
      holderIdentity: `${name}_${crypto.randomUUID()}`,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: printMicroTime(nowMs),
    },
  };
}

/** As upstream's leader election has it (--leader-elect-lease-duration). */
const LEADER_SECONDS = 15;

/**
 * The Leases by which the controllers and the scheduler say who leads: one of each a cluster, which always leads. As
 * the API server's they are written once, and renewed by being read.
 */
export const leaderLeases = (cluster: string, nowMs: number): KubeObject[] =>
  LEADERS.map((name) => ({
    metadata: { name, namespace: "kube-system" },
    spec: {
      holderIdentity: `${cluster}_${crypto.randomUUID()}`,
      leaseDurationSeconds: LEADER_SECONDS,
      leaseTransitions: 0,
      acquireTime: printMicroTime(nowMs),
      renewTime: printMicroTime(nowMs),
    },
  }));

/** 130 bits of a hash, as upstream names its Leases after hosts. */
async function nameHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  let bits = [...digest].reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) >> BigInt(256 - 5 * NAME_CHARS);
  let hash = "";
  for (let i = 0; i < NAME_CHARS; i++, bits >>= 5n) hash = BASE32[Number(bits & 31n)] + hash;
  return hash;
}
