import type { KubeObject } from "../../shared/api/object.ts";
import type { ResourceRequest } from "./resource-request.ts";

const NODE_LEASES = "kube-node-lease";

/** NodeSession's answer to when its tunnel was last heard of, in epoch ms; null when it never was. */
interface Heartbeat {
  lastHeartbeatMs(): Promise<number | null>;
}

/**
 * A node's Lease is renewed by its tunnel, not by writes: `renewTime` is the tunnel's last sign of life where that is
 * later than what is stored.
 */
export async function overlayLeases(request: ResourceRequest, leases: KubeObject[]): Promise<void> {
  if (!mayHoldNodeLeases(request)) return;
  await Promise.all(
    leases.filter(({ metadata }) => metadata.namespace === NODE_LEASES).map((lease) => overlay(request, lease)),
  );
}

/** Whether an answer to this request cannot be given as it is stored. */
export function mayHoldNodeLeases({ facts, info }: ResourceRequest): boolean {
  if (facts.group !== "coordination.k8s.io" || facts.resource !== "leases") return false;
  return info.namespace === "" || info.namespace === NODE_LEASES;
}

async function overlay({ context }: ResourceRequest, lease: KubeObject): Promise<void> {
  const node = context.env.NODES.getByName(`${context.cluster}/${lease.metadata.name}`) as unknown as Heartbeat;
  const heartbeatMs = await node.lastHeartbeatMs().catch(() => null);
  if (heartbeatMs === null) return;
  const spec = (lease.spec ?? {}) as { renewTime?: string };
  if (spec.renewTime && Date.parse(spec.renewTime) >= heartbeatMs) return;
  lease.spec = { ...spec, renewTime: microTime(heartbeatMs) };
}

/** MicroTime: six digits of a second. */
const microTime = (timeMs: number): string => new Date(timeMs).toISOString().replace("Z", "000Z");
