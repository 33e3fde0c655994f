import { Client, credentials } from "@grpc/grpc-js";
import { failure, joinHostPort, type Outcome, success } from "./outcome.ts";

const SERVING = 1;
const CHECK = "/grpc.health.v1.Health/Check";

/** Asks the standard health service. @see https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
export function probeGrpc(host: string, port: number, service: string, timeoutMs: number): Promise<Outcome> {
  const address = joinHostPort(host, port);
  const client = new Client(address, credentials.createInsecure(), { "grpc.primary_user_agent": "kube-probe/1.36" });
  return new Promise((resolve) => {
    const options = { deadline: Date.now() + timeoutMs };
    client.makeUnaryRequest(CHECK, encodeRequest, decodeStatus, service, options, (error, status) => {
      client.close();
      if (error) {
        resolve(
          failure(`timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: ${error.details}`),
        );
      } else {
        resolve(
          status === SERVING ? success : failure(`service unhealthy (responded with "${STATUSES[status ?? 0]}")`),
        );
      }
    });
  });
}

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
