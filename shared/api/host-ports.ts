import { isSidecar } from "./pod-requests.ts";
import type { PodSpec } from "./types.ts";

export interface HostPort {
  ip: string;
  protocol: string;
  port: number;
}

const ANY_ADDRESS = "0.0.0.0";

/** The ports that a pod takes of its node. Sidecars (init containers that keep running) hold host ports too. */
export function hostPortsOf({ spec }: { spec?: Pick<PodSpec, "containers" | "initContainers"> }): HostPort[] {
  return [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])].flatMap((container) =>
    (container.ports ?? [])
      .filter((port) => (port.hostPort ?? 0) > 0)
      .map((port) => ({
        ip: port.hostIP || ANY_ADDRESS,
        protocol: port.protocol ?? "TCP",
        port: port.hostPort!,
      })),
  );
}

/** A host port is taken by one pod; the wildcard address collides with every address. */
export function hostPortsCollide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS;
}
