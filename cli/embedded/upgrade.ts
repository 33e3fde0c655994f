import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { escapeTarget } from "../../shared/http-target.ts";
import { forwardHeaders } from "./forward-headers.ts";
import { answerFailure, type OwnAnswer } from "./unavailable.ts";

/** Of the connection to workerd; what is left of a refusal ends with the client's connection. */
const REFUSAL_HOP = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

/**
 * Asks workerd for an upgrade (a WebSocket). Once it agrees, bytes go both ways, unread; before that none of the
 * client's do: on a connection that was not taken over, workerd would read them as a request that never went through
 * the front door. A refusal is passed on, and ends the connection.
 */
export function proxyUpgrade(
  socketPath: string,
  req: IncomingMessage,
  client: Duplex,
  firstBytes: Buffer,
  own: string,
): void {
  const { lines } = forwardHeaders(req.rawHeaders, own);
  const headers = [...splitLines(lines), "Connection", "Upgrade", "Upgrade", req.headers.upgrade ?? ""];
  const call = request({ socketPath, method: req.method, path: escapeTarget(req.url ?? "/"), headers, agent: false });
  let hasAnswer = false;
  call.once("upgrade", (answer, upstream, firstAnswer: Buffer) => {
    hasAnswer = true;
    client.write(renderHead(101, "Switching Protocols", answer.rawHeaders), "latin1");
    if (firstAnswer.length) client.write(firstAnswer);
    if (firstBytes.length) upstream.write(firstBytes);
    upstream.pipe(client).pipe(upstream);
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  call.once("response", (answer) => {
    hasAnswer = true;
    const kept = answer.rawHeaders.filter((_text, i, raw) => !REFUSAL_HOP.has(raw[i - (i % 2)]!.toLowerCase()));
    client.write(renderHead(answer.statusCode!, answer.statusMessage!, [...kept, "Connection", "close"]), "latin1");
    answer.on("error", () => client.destroy()); // cut: it must not look whole
    answer.pipe(client);
    client.resume(); // unread bytes would reset the connection under the answer
    client.once("finish", () => client.destroy());
  });
  call.on("error", (cause) => {
    if (hasAnswer) client.destroy();
    else client.end(renderOwn(answerFailure({ cause, isSafeToRepeat: true })));
  });
  client.on("error", () => call.destroy());
  client.on("close", () => call.destroy());
  call.end();
}

/** Name, value, name, value. */
const splitLines = (lines: string): string[] =>
  lines
    .split("\r\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });

function renderHead(status: number, reason: string, headers: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n`;
}

const renderOwn = ({ code, headers, body }: OwnAnswer): string =>
  renderHead(code, "Service Unavailable", [...Object.entries(headers).flat(), "connection", "close"]) + body;
