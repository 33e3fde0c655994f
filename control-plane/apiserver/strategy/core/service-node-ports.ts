import { invalidValue } from "../../../../shared/api/field-error.ts";
import { failure, internalError, type StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import type { Drawing } from "../strategy.ts";
import { draw } from "./draw.ts";
import { needsHealthCheckPort, needsNodePorts } from "./service-fields.ts";

const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;
/** min(max(16, size/32), 128) ports are kept apart for fixed ones (KEP-3668). */
const STATIC_NODE_PORTS = 86;
/** What a dry run gives ports that ask for none: numbers from here on, which are outside of the range. */
const DRY_RUN_NODE_PORT = 32_769;

const NOT_IN_RANGE = `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`;
const ALLOCATED = "provided port is already allocated";

export const nodePortClaim = (port: number) => `nodePort/${port}`;

/** The node ports that one write of a service takes. */
class NodePortOperation {
  readonly #context: Drawing;
  readonly #allocated = new Set<number>();
  /** Named by the service itself: what is drawn must not meet them. */
  readonly #reserved: Set<number>;

  constructor(context: Drawing, reserved: number[]) {
    this.#context = context;
    this.#reserved = new Set(reserved);
  }

  /** Takes a port by its number. @returns why it cannot be had; a dry run does not look at the range */
  allocate(port: number): string | undefined {
    const { dryRun } = this.#context;
    if (!dryRun && (port < FIRST_NODE_PORT || port > LAST_NODE_PORT)) return NOT_IN_RANGE;
    if (this.#isTaken(port)) return ALLOCATED;
    this.#allocated.add(port);
    return undefined;
  }

  /** Takes any port. @throws ApiError InternalError when there is none */
  next(what: string): number {
    const range = { first: FIRST_NODE_PORT, dynamic: FIRST_NODE_PORT + STATIC_NODE_PORTS, last: LAST_NODE_PORT };
    const port = this.#context.dryRun
      ? this.#nextOfDryRun()
      : draw(this.#context, range, (candidate) => this.#reserved.has(candidate) || this.#isTaken(candidate));
    if (port === undefined) throw internalError(`failed to allocate a ${what}: range is full`);
    this.#allocated.add(port);
    return port;
  }

  /** The one after the highest that this write has taken: an int32, like upstream's. */
  #nextOfDryRun(): number {
    return this.#allocated.size === 0 ? DRY_RUN_NODE_PORT : (Math.max(0, ...this.#allocated) + 1) | 0;
  }

  #isTaken(port: number): boolean {
    return this.#allocated.has(port) || this.#context.taken.has(nodePortClaim(port));
  }
}

const portsOf = ({ spec }: Service): number[] => (spec.ports ?? []).flatMap(({ nodePort }) => nodePort || []);

const refusal = (index: number, port: number, why: string): StatusCause[] => [
  invalidValue(`spec.ports[${index}].nodePort`, port, why),
];

/** Ports of one number (DNS over TCP and UDP) share a node port. */
function allocateForCreate(service: Service, operation: NodePortOperation): StatusCause[] {
  const ports = service.spec.ports ?? [];
  const chosen = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort && !needsNodePorts(service)) continue;
    const shared = chosen.get(port.port);
    if (shared === undefined) {
      const asked = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort;
      const why = asked ? operation.allocate(asked) : undefined;
      if (asked && why) return refusal(index, asked, why);
      port.nodePort = asked ?? operation.next("nodePort");
      chosen.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) {
      const why = operation.allocate(port.nodePort);
      if (why) return refusal(index, port.nodePort, why);
    }
  }
  return [];
}

/** What the service has it keeps; ports that are new get a node port each. */
function allocateForUpdate(service: Service, old: Service, operation: NodePortOperation): StatusCause[] {
  const known = new Set(portsOf(old));
  const seen = new Set<string>();
  for (const [index, port] of (service.spec.ports ?? []).entries()) {
    if (!port.nodePort && !needsNodePorts(service)) continue;
    if (!port.nodePort) port.nodePort = operation.next("nodePort");
    else if (!known.has(port.nodePort)) {
      const why = operation.allocate(port.nodePort);
      if (why) return refusal(index, port.nodePort, why);
      known.add(port.nodePort);
    }
    const text = `{${port.protocol ?? ""} ${port.nodePort}}`;
    if (seen.has(text)) throw failure(500, "", `duplicate nodePort: ${text}`);
    seen.add(text);
  }
  return [];
}

function allocateHealthCheckPort({ spec }: Service, operation: NodePortOperation): void {
  const { healthCheckNodePort: asked } = spec;
  if (!asked) {
    spec.healthCheckNodePort = operation.next("HealthCheck NodePort 0");
    return;
  }
  const why = operation.allocate(asked);
  if (why) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
}

/**
 * Gives a service the node ports that it needs and has not named.
 * @returns the first cause for which a port that was asked for cannot be had
 * @throws ApiError InternalError when the range is full, or the health check port cannot be had
 */
export function allocateNodePorts(service: Service, old: Service | undefined, context: Drawing): StatusCause[] {
  const reserved = [...portsOf(service), ...(old ? portsOf(old) : []), service.spec.healthCheckNodePort ?? 0];
  const operation = new NodePortOperation(context, reserved);
  const { type } = service.spec;
  if (type === "NodePort" || type === "LoadBalancer") {
    const causes = old ? allocateForUpdate(service, old, operation) : allocateForCreate(service, operation);
    if (causes.length > 0) return causes;
  }
  if (needsHealthCheckPort(service) && !(old && needsHealthCheckPort(old))) allocateHealthCheckPort(service, operation);
  return [];
}
