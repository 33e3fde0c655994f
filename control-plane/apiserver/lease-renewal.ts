import type { KubeObject } from "../../shared/api/object.ts";
import { printMicroTime } from "../../shared/api/timestamp.ts";
import type { ResourceRequest } from "./resource-request.ts";

const NODE_LEASES = "kube-node-lease";
const SYSTEM = "kube-system";
/** On the Leases of API servers. */
export const LEASE_IDENTITY_LABEL = "apiserver.kubernetes.io/identity";
/** The parts of a control plane of which one leads. */
export const LEADERS = ["kube-controller-manager", "kube-scheduler"];

/** NodeSession's answer to when its tunnel was last heard of, in epoch ms; null when it never was. */
interface Heartbeat {
  lastHeartbeatMs(): Promise<number | null>;
}

/**
 * A node's Lease is renewed by its tunnel, not by writes: `renewTime` is the tunnel's last sign of life where that is
 * later than what is stored. Those of the API server, the controllers and the scheduler are renewed by this answer.
 */
export async function overlayLeases(request: ResourceRequest, leases: KubeObject[]): Promise<void> {
  if (!mayHoldDerivedLeases(request)) return;
  for (const lease of leases) {
    if (lease.metadata.namespace === SYSTEM && isOfControlPlane(lease))
      lease.spec = { ...(lease.spec ?? {}), renewTime: printMicroTime(Date.now()) };
  }
  await Promise.all(
    leases.filter(({ metadata }) => metadata.namespace === NODE_LEASES).map((lease) => overlay(request, lease)),
  );
}

const isOfControlPlane = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[LEASE_IDENTITY_LABEL] !== undefined || LEADERS.includes(metadata.name);

/** Whether an answer to this request cannot be given as it is stored. */
export function mayHoldDerivedLeases({ facts, info }: ResourceRequest): boolean {
  if (facts.group !== "coordination.k8s.io" || facts.resource !== "leases") return false;
  return ["", NODE_LEASES, SYSTEM].includes(info.namespace);
}

async function overlay({ context }: ResourceRequest, lease: KubeObject): Promise<void> {
  const node = context.env.NODES.getByName(`${context.cluster}/${lease.metadata.name}`) as unknown as Heartbeat;
  const heartbeatMs = await node.lastHeartbeatMs().catch(() => null);
  if (heartbeatMs === null) return;
  const spec = (lease.spec ?? {}) as { renewTime?: string };
  if (spec.renewTime && Date.parse(spec.renewTime) >= heartbeatMs) return;
  lease.spec = { ...spec, renewTime: printMicroTime(heartbeatMs) };
}
