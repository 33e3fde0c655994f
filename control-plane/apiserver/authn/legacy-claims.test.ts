import { describe, expect, it } from "vitest";
import { checkLegacyToken, type LegacyObjects, legacyTokenOf } from "./legacy-claims.ts";

const CLAIMS = {
  sub: "system:serviceaccount:ns:bot",
  "kubernetes.io/serviceaccount/namespace": "ns",
  "kubernetes.io/serviceaccount/secret.name": "t",
  "kubernetes.io/serviceaccount/service-account.name": "bot",
  "kubernetes.io/serviceaccount/service-account.uid": "u1",
};
const TOKEN = { namespace: "ns", name: "bot", uid: "u1", secret: "t" };

it.each([
  { name: "whole", claims: CLAIMS, want: TOKEN },
  {
    name: "of another subject",
    claims: { ...CLAIMS, sub: "system:serviceaccount:ns:amy" },
    want: "sub claim is invalid",
  },
  { name: "without a subject", claims: { ...CLAIMS, sub: undefined }, want: "sub claim is missing" },
  ...[
    ["namespace", "namespace"],
    ["secret.name", "secretName"],
    ["service-account.name", "serviceAccountName"],
    ["service-account.uid", "serviceAccountUID"],
  ].map(([key, word]) => ({
    name: `without ${key}`,
    claims: { ...CLAIMS, [`kubernetes.io/serviceaccount/${key}`]: 7 },
    want: `${word} claim is missing`,
  })),
])("claims $name", ({ claims, want }) => expect(legacyTokenOf(claims)).toEqual(want));

const refusal = (fault: string) => ({ fault, isUse: false });
const there = { secret: { token: "x", isDeleted: false }, account: { uid: "u1", isDeleted: false } };

describe("a token of a Secret", () => {
  it.each<{ name: string; objects: LegacyObjects; want: string | undefined }>([
    { name: "is good while it lies there", objects: there, want: undefined },
    { name: "ends with the Secret", objects: { account: there.account }, want: "Token has been invalidated" },
    {
      name: "ends when the Secret is being deleted",
      objects: { ...there, secret: { token: "x", isDeleted: true } },
      want: "Token has been invalidated",
    },
    {
      name: "ends when another takes its place",
      objects: { ...there, secret: { token: "y", isDeleted: false } },
      want: "Token does not match server's copy",
    },
    { name: "ends with the account", objects: { secret: there.secret }, want: 'serviceaccounts "bot" not found' },
    {
      name: "ends when the account is being deleted",
      objects: { ...there, account: { uid: "u1", isDeleted: true } },
      want: "ServiceAccount ns/bot has been deleted",
    },
    {
      name: "is not another account's",
      objects: { ...there, account: { uid: "u2", isDeleted: false } },
      want: "ServiceAccount UID (u2) does not match claim (u1)",
    },
  ])("$name", ({ objects, want }) => {
    expect(checkLegacyToken(TOKEN, objects, "x")).toEqual(want === undefined ? { isUse: true } : refusal(want));
    // Marked or not, what is refused for another reason is not used.
    const marked = objects.secret && { ...objects.secret, invalidSince: "2026-10-21" };
    if (want !== undefined && marked) {
      expect(checkLegacyToken(TOKEN, { ...objects, secret: marked }, "x")).toEqual(refusal(want));
    }
  });

  it("may be marked invalid, and used in vain", () =>
    expect(checkLegacyToken(TOKEN, { ...there, secret: { ...there.secret, invalidSince: "2026-10-21" } }, "x")).toEqual(
      {
        fault: expect.stringContaining("the token in secret ns/t for service account ns/bot has been marked invalid"),
        isUse: true,
      },
    ));
});
