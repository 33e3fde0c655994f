import { describe, expect, it } from "vitest";
import type { ConfigMap, Secret, ServiceAccount } from "../../shared/api/types.ts";
import { detachedSignature, withSignatures } from "./bootstrap-signer/decide.ts";
import { expiryMs, signingToken } from "./bootstrap-token.ts";
import { decide, legacyClaims } from "./service-account-token/decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");

const token = (fields: Record<string, string> = {}, metadata: Partial<Secret["metadata"]> = {}): Secret => {
  const all = {
    "token-id": "abc123",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-signing": "true",
    ...fields,
  };
  const data = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, btoa(value)]));
  return {
    metadata: { name: "bootstrap-token-abc123", namespace: "kube-system", ...metadata },
    type: "bootstrap.kubernetes.io/token",
    data,
  };
};

describe("a bootstrap token that signs", () => {
  it.each([
    { name: "as it should be", secret: token(), want: "abc123" },
    { name: "not yet expired", secret: token({ expiration: "2026-10-21T08:00:01Z" }), want: "abc123" },
    { name: "expired", secret: token({ expiration: "2026-10-21T08:00:00Z" }), want: undefined },
    { name: "of another use", secret: token({ "usage-bootstrap-signing": "false" }), want: undefined },
    { name: "under another name", secret: token({}, { name: "bootstrap-token-zzzzzz" }), want: undefined },
    { name: "elsewhere", secret: token({}, { namespace: "default" }), want: undefined },
    {
      name: "of an odd id",
      secret: token({ "token-id": "ABC123" }, { name: "bootstrap-token-ABC123" }),
      want: undefined,
    },
    { name: "without a secret", secret: token({ "token-secret": "" }), want: undefined },
  ])("$name", ({ secret, want }) => expect(signingToken(secret, NOW_MS)?.id).toBe(want));
});

it.each([
  { expiration: "", want: Number.POSITIVE_INFINITY },
  { expiration: "2026-10-21T08:00:00Z", want: NOW_MS },
  { expiration: "2026-10-21T10:00:00+02:00", want: NOW_MS },
  { expiration: "tomorrow", want: 0 },
])("a token with expiration '$expiration' goes at $want", ({ expiration, want }) =>
  expect(expiryMs(token({ expiration }))).toBe(want),
);

it("signs as RFC 7515 has it, with the content left out", async () => {
  const signature = await detachedSignature("hello", { id: "abc123", secret: "0123456789abcdef" });
  const [header, content, mac] = signature.split(".");
  expect(atob(header ?? "")).toBe('{"alg":"HS256","kid":"abc123"}');
  expect(content).toBe("");
  expect(mac).toMatch(/^[\w-]{43}$/);
  expect(await detachedSignature("hello!", { id: "abc123", secret: "0123456789abcdef" })).not.toBe(signature);
});

it.each<{ name: string; data: Record<string, string>; want: Record<string, string> | undefined }>([
  { name: "adds", data: { kubeconfig: "k" }, want: { kubeconfig: "k", "jws-kubeconfig-abc123": "s" } },
  { name: "replaces", data: { "jws-kubeconfig-abc123": "old" }, want: { "jws-kubeconfig-abc123": "s" } },
  {
    name: "takes away",
    data: { "jws-kubeconfig-abc123": "s", "jws-kubeconfig-zzzzzz": "s" },
    want: { "jws-kubeconfig-abc123": "s" },
  },
  { name: "writes nothing when all is there", data: { "jws-kubeconfig-abc123": "s" }, want: undefined },
])("$name signatures", ({ data, want }) => {
  const configMap: ConfigMap = { metadata: { name: "cluster-info" }, data };
  expect(withSignatures(configMap, new Map([["abc123", "s"]]))).toEqual(want);
});

const account = (uid = "u1"): ServiceAccount => ({ metadata: { name: "bot", namespace: "ns", uid } });
const secret = (data?: Record<string, string>, uid?: string): Secret => ({
  metadata: {
    name: "t",
    namespace: "ns",
    annotations: {
      "kubernetes.io/service-account.name": "bot",
      ...(uid ? { "kubernetes.io/service-account.uid": uid } : {}),
    },
  },
  type: "kubernetes.io/service-account-token",
  data,
});
const FULL = { token: btoa("t"), namespace: btoa("ns"), "ca.crt": btoa("CA") };

describe("a Secret for an account's token", () => {
  it.each([
    {
      name: "new",
      secret: secret(),
      account: account(),
      want: { step: "fill", token: true, data: { "ca.crt": btoa("CA"), namespace: btoa("ns") } },
    },
    {
      name: "without its token",
      secret: secret({ ...FULL, token: "" }),
      account: account(),
      want: { step: "fill", token: true, data: {} },
    },
    {
      name: "of an old CA",
      secret: secret({ ...FULL, "ca.crt": btoa("old") }),
      account: account(),
      want: { step: "fill", token: false, data: { "ca.crt": btoa("CA") } },
    },
    { name: "full", secret: secret(FULL, "u1"), account: account(), want: { step: "none" } },
    { name: "of nobody", secret: secret(FULL), account: undefined, want: { step: "remove" } },
    { name: "of somebody before", secret: secret(FULL, "u0"), account: account(), want: { step: "remove" } },
  ])("$name", ({ secret, account, want }) => expect(decide(secret, account, "CA")).toMatchObject(want));

  it("has a token of its own issuer", () =>
    expect(legacyClaims(secret(), account())).toEqual({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "ns",
      "kubernetes.io/serviceaccount/secret.name": "t",
      "kubernetes.io/serviceaccount/service-account.name": "bot",
      "kubernetes.io/serviceaccount/service-account.uid": "u1",
      sub: "system:serviceaccount:ns:bot",
    }));
});
