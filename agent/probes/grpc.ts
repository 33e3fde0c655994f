import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { failure, joinHostPort, type Outcome, success } from "./outcome.ts";

const SERVING = 1;
const CHECK = "/grpc.health.v1.Health/Check";

/** Asks the standard health service. @see https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
export async function probeGrpc(host: string, port: number, service: string, timeoutMs: number): Promise<Outcome> {
  const address = joinHostPort(host, port);
  const deadlineMs = Date.now() + timeoutMs;
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.primary_user_agent": "kube-probe/1.36",
    "grpc.enable_retries": 0,
  });
  try {
    if (!(await isConnected(client, deadlineMs))) {
      return failure(
        `timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: context deadline exceeded`,
      );
    }
    return await check(client, service, { deadlineMs, timeoutMs });
  } finally {
    client.close();
  }
}

/** A server that refuses may be listening a moment later: the whole timeout is waited for, as upstream's client does. */
const isConnected = (client: Client, deadlineMs: number) =>
  new Promise<boolean>((resolve) => client.waitForReady(deadlineMs, (error) => resolve(!error)));

function check(
  client: Client,
  service: string,
  { deadlineMs, timeoutMs }: { deadlineMs: number; timeoutMs: number },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { deadline: deadlineMs };
    client.makeUnaryRequest(CHECK, encodeRequest, decodeStatus, service, options, (error, answer) => {
      if (error) resolve(failure(describeError(error, timeoutMs)));
      else if (answer === SERVING) resolve(success);
      else resolve(failure(`service unhealthy (responded with "${STATUSES[answer ?? 0] ?? answer}")`));
    });
  });
}

function describeError({ code, details }: ServiceError, timeoutMs: number): string {
  if (code === status.UNIMPLEMENTED) {
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`;
  }
  if (code === status.DEADLINE_EXCEEDED) return `timeout: health rpc did not complete within ${timeoutMs / 1000}s`;
  return `error: health rpc probe failed: rpc error: code = ${goCodeName(code)} desc = ${details}`;
}

/** `NOT_FOUND` is NotFound in Go. */
const goCodeName = (code: number) =>
  (status[code] ?? "UNKNOWN")
    .toLowerCase()
    .split("_")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("");

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** HealthCheckRequest: field 1 is the service's name. Names are shorter than 128 bytes in practice; longer ones too fit. */
function encodeRequest(service: string): Buffer {
  const name = Buffer.from(service);
  if (name.length === 0) return Buffer.alloc(0);
  const length = name.length < 128 ? [name.length] : [(name.length & 0x7f) | 0x80, name.length >> 7];
  return Buffer.concat([Buffer.from([0x0a, ...length]), name]);
}

/** HealthCheckResponse: field 1 is the status; UNKNOWN, being zero, is left out. */
const decodeStatus = (bytes: Buffer): number => (bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0);
