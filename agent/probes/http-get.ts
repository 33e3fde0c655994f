import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Container } from "../api/index.ts";
import { describeDialError, joinHostPort } from "./outcome.ts";
import { resolvePort } from "./port.ts";

/** An HTTPGetAction as probes and lifecycle hooks have it. */
export interface HttpGetAction {
  scheme?: string;
  host?: string;
  port: number | string;
  path?: string;
  httpHeaders?: { name: string; value?: string }[];
}

export interface HttpAnswer {
  code: number;
  /** At most MAX_BODY_BYTES of it. */
  body: string;
}

/** Upstream's limit for what a probe reads of an answer. */
const MAX_BODY_BYTES = 10 * 1024;
const MAX_REDIRECTS = 10;
const VERSION = "1.36";

/**
 * Makes the request of an httpGet. Redirects are followed within the same host; one that leads elsewhere is the answer
 * itself. Certificates are not checked, and no proxy is used: the docs say so for probes.
 * @param options.host used where the action names none
 * @param options.timeoutMs for all of it, redirects included
 * @throws Error in the words of Go's net/http, which users search for: `Get "URL": …`
 */
export async function httpGet(
  action: HttpGetAction,
  options: { container: Container; host: string; agent: "probe" | "lifecycle"; timeoutMs: number },
): Promise<HttpAnswer> {
  const scheme = action.scheme?.toLowerCase() === "https" ? "https" : "http";
  const address = joinHostPort(action.host || options.host, resolvePort(options.container, action.port));
  const headers = requestHeaders(action.httpHeaders ?? [], options.agent);
  const path = action.path ?? "";
  // For messages as it was written: a URL drops a default port, and users compare.
  let shown = `${scheme}://${address}${path.startsWith("/") || path === "" ? path : `/${path}`}`;
  let url = new URL(shown);
  const { hostname } = url;
  const deadline = AbortSignal.timeout(options.timeoutMs);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await getOnce(url, shown, headers, deadline);
    const next = redirectTarget(answer, url);
    if (!next || next.hostname !== hostname) return answer;
    if (redirects >= MAX_REDIRECTS - 1) throw new Error(`Get "${next.href}": stopped after ${MAX_REDIRECTS} redirects`);
    url = next;
    shown = next.href;
    delete headers["host"];
  }
}

/** The given ones over the usual ones. An Accept that is given as empty is not sent. */
function requestHeaders(given: { name: string; value?: string }[], agent: string): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const { name, value = "" } of given) {
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), value];
  }
  headers["user-agent"] ??= [`kube-${agent}/${VERSION}`];
  headers["accept"] ??= ["*/*"];
  if (headers["accept"][0] === "") delete headers["accept"];
  if (headers["host"]?.[0] === "") delete headers["host"];
  return headers;
}

interface Answer extends HttpAnswer {
  location: string | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirectTarget({ code, location }: Answer, from: URL): URL | undefined {
  if (!REDIRECTS.has(code) || location === undefined) return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
}

function getOnce(url: URL, shown: string, headers: Record<string, string[]>, deadline: AbortSignal): Promise<Answer> {
  const fail = (message: string) => new Error(`Get "${shown}": ${message}`);
  return new Promise((resolve, reject) => {
    const late = () => {
      reject(fail("context deadline exceeded (Client.Timeout exceeded while awaiting headers)"));
      sent.destroy();
    };
    const done = () => deadline.removeEventListener("abort", late);
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    const { host, ...rest } = headers;
    const sent: ClientRequest = request(url, {
      headers: { ...rest, connection: "close", ...(host && { host: host[0] }) },
      rejectUnauthorized: false,
      agent: false,
    });
    deadline.addEventListener("abort", late, { once: true });
    sent.once("response", (response) => {
      readBody(response).then((body) => {
        done();
        resolve({ code: response.statusCode ?? 0, location: response.headers.location, body });
        sent.destroy();
      });
    });
    sent.on("error", (error) => {
      done();
      reject(fail(describeHttpError(error, url)));
    });
    sent.end();
  });
}

/** What came of it: that it broke midway does not change the code. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_BODY_BYTES) break;
    }
  } catch {
    // A body that ends early is of no interest.
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString("utf8");
}

/** That the peer speaks HTTP where TLS was asked for; a hook then tries again without. */
export const PLAIN_HTTP = "http: server gave HTTP response to HTTPS client";

function describeHttpError(error: Error, url: URL): string {
  const { code, rawPacket } = error as NodeJS.ErrnoException & { rawPacket?: Buffer };
  if (code === "ECONNRESET" && error.message === "socket hang up") return "EOF";
  if (code === "EPROTO" || code?.startsWith("ERR_SSL_WRONG_VERSION")) return PLAIN_HTTP;
  if (code?.startsWith("HPE_")) {
    const line = rawPacket?.toString("latin1").split(/\r?\n/)[0] ?? "";
    return `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${JSON.stringify(line)}`;
  }
  return describeDialError(error, joinHostPort(url.hostname.replace(/^\[|\]$/g, ""), portOf(url)));
}

const portOf = ({ port, protocol }: URL) => (port ? Number(port) : protocol === "https:" ? 443 : 80);
