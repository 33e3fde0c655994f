import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { describeDialError, failure, joinHostPort, type Outcome, success } from "./outcome.ts";

export interface HttpTarget {
  scheme: "http" | "https";
  host: string;
  port: number;
  path: string;
  headers: { name: string; value: string }[];
}

/** Any code from 200 to 399 is good. Redirects are not followed, and certificates are not checked, as the docs say. */
export function probeHttp({ scheme, host, port, path, headers }: HttpTarget, timeoutMs: number): Promise<Outcome> {
  const address = joinHostPort(host, port);
  const url = `${scheme}://${address}${path.startsWith("/") ? path : `/${path}`}`;
  const request = scheme === "https" ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const sent = request(url, {
      headers: {
        "user-agent": "kube-probe/1.36",
        accept: "*/*",
        connection: "close",
        ...Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
      },
      rejectUnauthorized: false,
      agent: false,
    });
    const timer = setTimeout(() => {
      resolve(failure(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`));
      sent.destroy();
    }, timeoutMs);
    const settle = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
      sent.destroy();
    };
    sent.once("response", (response) => {
      response.on("error", () => {}); // The body is of no interest, nor is what breaks in it.
      const code = response.statusCode ?? 0;
      settle(code >= 200 && code < 400 ? success : failure(`HTTP probe failed with statuscode: ${code}`));
    });
    sent.once("error", (error) => settle(failure(`Get "${url}": ${describeDialError(error, address)}`)));
    sent.end();
  });
}
