import { expect, it } from "vitest";
import { PlainHeaders } from "../request-head.ts";
import { parseImpersonation } from "./impersonation.ts";

it.each<{ headers: Record<string, string>; user: string }>([
  {
    headers: { "impersonate-group": "g, h" },
    user: '&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g", "h"}, Extra:map[string][]string(nil)}',
  },
  {
    headers: { "impersonate-uid": "u" },
    user: '&user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)}',
  },
  {
    headers: { "impersonate-extra-c": "z", "impersonate-extra-a%2fb": "y" },
    user: '&user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"a/b":[]string{"y"}, "c":[]string{"z"}}}',
  },
])("refuses to act as nobody: $headers", ({ headers, user }) => {
  const parse = () => parseImpersonation(new PlainHeaders(new Headers(headers)));
  expect(parse).toThrow(`requested ${user} without impersonating a user name`);
});
