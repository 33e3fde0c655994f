import type { JsonObject } from "../../shared/api/json.ts";
import { ApiError, internalError, type Status } from "../../shared/api/status.ts";
import { encodeProtobuf, PROTOBUF_TYPE } from "../../shared/schema/index.ts";
import type { Answer } from "./call.ts";
import type { Output } from "./negotiation.ts";
import { fitWarnings } from "./warnings.ts";
import { renderYaml } from "./yaml/index.ts";

const JSON_TYPE = { "content-type": "application/json" };
const YAML_TYPE = { "content-type": "application/yaml" };

/** JSON that is text already, or comes as a stream. */
export const jsonAnswer = (code: number, body: Answer["body"]): Answer => ({ code, headers: { ...JSON_TYPE }, body });

export const textAnswer = (code: number, body: string): Answer => ({
  code,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body,
});

export const protobufAnswer = (code: number, bytes: Uint8Array<ArrayBuffer>): Answer => ({
  code,
  headers: { "content-type": PROTOBUF_TYPE },
  body: new Response(bytes).body,
});

/** Any value, in the form that was asked for. */
export function valueAnswer(code: number, value: unknown, output: Output): Answer {
  if (output.format === "yaml") return { code, headers: { ...YAML_TYPE }, body: renderYaml(value) };
  if (output.format === "protobuf") return protobufAnswer(code, encodeProtobuf(value as JsonObject));
  return jsonAnswer(code, `${JSON.stringify(value, undefined, output.pretty ? 2 : undefined)}\n`);
}

export const statusAnswer = (status: Status, output: Output): Answer => {
  const retryAfter = status.details?.retryAfterSeconds;
  const answer = valueAnswer(status.code, status, output);
  return retryAfter === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, "retry-after": String(retryAfter) } };
};

/** The server's only mapping of errors: what is no ApiError is logged in full and answered as a 500 without detail. */
export function toStatus(error: unknown): Status {
  if (error instanceof ApiError) return error.status;
  console.error("request failed", error instanceof Error ? (error.stack ?? error.message) : error, causeOf(error));
  return internalError("the request could not be carried out; the server's log has the reason").status;
}

const causeOf = (error: unknown) => (error instanceof Error && error.cause ? error.cause : "");

/** Text of one Warning header value (RFC 7234, code 299), as upstream prints it. */
export const warningHeader = (text: string): string =>
  `299 - "${text.replace(/\p{Cc}/gu, " ").replace(/[\\"]/g, "\\$&")}"`;

/** Nothing may be kept by what stands between: an answer is for one user, and true for a moment. */
const NOT_CACHED = { "cache-control": "no-cache, private" };

export function toResponse(answer: Answer | Response, warnings: readonly string[] = []): Response {
  if (answer instanceof Response) return answer;
  const lines = { ...NOT_CACHED, ...answer.headers };
  // What is encoded is so already: the runtime must not do it again.
  const rest: ResponseInit = "content-encoding" in lines ? { encodeBody: "manual" } : {};
  if (warnings.length === 0) return new Response(answer.body, { ...rest, status: answer.code, headers: lines });
  const headers = new Headers(lines);
  for (const warning of fitWarnings(warnings)) headers.append("warning", warningHeader(warning));
  return new Response(answer.body, { ...rest, status: answer.code, headers });
}
