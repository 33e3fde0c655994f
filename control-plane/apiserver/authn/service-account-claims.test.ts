import { describe, expect, it } from "vitest";
import {
  type BoundObjects,
  findBindingFault,
  findTimeFault,
  ISSUER,
  renderClaims,
  type TokenOrder,
} from "./service-account-claims.ts";

const NOW = 1_800_000_000;
const YEAR = 365 * 24 * 3600;

const order = (changes: Partial<TokenOrder> = {}): TokenOrder => ({
  serviceAccount: { namespace: "shop", name: "bot", uid: "sa-1" },
  expirationSeconds: 3600,
  audiences: [],
  ...changes,
});
const pod = { name: "web-0", uid: "pod-1" };
const claimsOf = (changes: Partial<TokenOrder> = {}) => renderClaims(order(changes), { nowSeconds: NOW, jti: "jti-1" });

describe("renderClaims", () => {
  it("carries the names and uids of all that the token is bound to", () => {
    expect(claimsOf({ pod, node: { name: "n1", uid: "node-1" } })).toEqual({
      aud: [ISSUER],
      exp: NOW + 3600,
      iat: NOW,
      iss: ISSUER,
      jti: "jti-1",
      "kubernetes.io": {
        namespace: "shop",
        node: { name: "n1", uid: "node-1" },
        pod,
        serviceaccount: { name: "bot", uid: "sa-1" },
      },
      nbf: NOW,
      sub: "system:serviceaccount:shop:bot",
    });
  });

  it.each([
    {
      name: "stretches 3607 s of a pod to a year",
      changes: { pod, expirationSeconds: 3607 },
      lasts: YEAR,
      warns: 3607,
    },
    { name: "does not stretch 3606 s", changes: { pod, expirationSeconds: 3606 }, lasts: 3606, warns: undefined },
    { name: "does not stretch without a pod", changes: { expirationSeconds: 3607 }, lasts: 3607, warns: undefined },
    {
      name: "does not stretch for another audience",
      changes: { pod, expirationSeconds: 3607, audiences: ["vault.test"] },
      lasts: 3607,
      warns: undefined,
    },
  ])("$name", ({ changes, lasts, warns }) => {
    const claims = claimsOf(changes);
    expect(claims.exp - claims.iat).toBe(lasts);
    expect(claims["kubernetes.io"].warnafter).toBe(warns === undefined ? undefined : NOW + warns);
  });
});

describe("findTimeFault", () => {
  it.each([
    { name: "good at once", at: NOW, want: undefined },
    { name: "good with a clock a minute behind", at: NOW - 60, want: undefined },
    { name: "not valid yet", at: NOW - 61, want: "service account token is not valid yet" },
    { name: "good within the leeway after expiry", at: NOW + 3660, want: undefined },
    { name: "expired", at: NOW + 3661, want: "service account token has expired" },
  ])("$name", ({ at, want }) => expect(findTimeFault(claimsOf(), at)).toBe(want));
});

describe("findBindingFault", () => {
  const account = { uid: "sa-1" };
  const gone = "service account token has been invalidated";
  it.each<{ name: string; changes?: Partial<TokenOrder>; objects: BoundObjects; want: string | undefined }>([
    { name: "account there", objects: { serviceAccount: account }, want: undefined },
    { name: "account gone", objects: { serviceAccount: undefined }, want: 'serviceaccounts "bot" not found' },
    {
      name: "account made anew",
      objects: { serviceAccount: { uid: "sa-2" } },
      want: "service account UID (sa-2) does not match claim (sa-1)",
    },
    {
      name: "account deleted more than a minute ago",
      objects: { serviceAccount: { ...account, deletedSeconds: NOW - 61 } },
      want: "service account shop/bot has been deleted",
    },
    {
      name: "account deleted just now",
      objects: { serviceAccount: { ...account, deletedSeconds: NOW } },
      want: undefined,
    },
    { name: "pod gone", changes: { pod }, objects: { serviceAccount: account, pod: undefined }, want: gone },
    {
      name: "pod of the same name, another uid",
      changes: { pod },
      objects: { serviceAccount: account, pod: { uid: "pod-2" } },
      want: "pod UID (pod-2) does not match service account pod ref claim (pod-1)",
    },
    {
      name: "pod terminating longer than the leeway",
      changes: { pod },
      objects: { serviceAccount: account, pod: { uid: "pod-1", deletedSeconds: NOW - 61 } },
      want: gone,
    },
    {
      name: "a pod's node does not matter",
      changes: { pod, node: { name: "n1", uid: "node-1" } },
      objects: { serviceAccount: account, pod: { uid: "pod-1" } },
      want: undefined,
    },
    {
      name: "a node's token ends with the node",
      changes: { node: { name: "n1", uid: "node-1" } },
      objects: { serviceAccount: account, node: undefined },
      want: gone,
    },
    {
      name: "a secret's token ends with the secret",
      changes: { secret: { name: "s", uid: "s-1" } },
      objects: { serviceAccount: account, secret: { uid: "s-2" } },
      want: "secret UID (s-2) does not match service account secret ref claim (s-1)",
    },
  ])("$name", ({ changes, objects, want }) => expect(findBindingFault(claimsOf(changes), objects, NOW)).toBe(want));
});
