import { expect, it } from "vitest";
import { bearerToken } from "./bearer-token.ts";

it.each<{ name: string; headers: Record<string, string>; want: string | undefined }>([
  { name: "no header", headers: {}, want: undefined },
  { name: "a bearer token", headers: { authorization: "Bearer abc" }, want: "abc" },
  { name: "any case of the scheme", headers: { authorization: "bearer abc" }, want: "abc" },
  { name: "the first word only", headers: { authorization: "Bearer a b" }, want: "a" },
  { name: "a scheme without a token", headers: { authorization: "Bearer " }, want: undefined },
  { name: "another scheme", headers: { authorization: "Basic YTpi" }, want: undefined },
  {
    name: "a WebSocket subprotocol",
    headers: { "sec-websocket-protocol": "v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.YWJj" },
    want: "abc",
  },
  {
    name: "a subprotocol that is not base64",
    headers: { "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.%%%" },
    want: undefined,
  },
])("finds the token: $name", ({ headers, want }) => expect(bearerToken(new Headers(headers))).toBe(want));
