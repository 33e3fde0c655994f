import { describe, expect, it } from "vitest";
import type { PullRecord } from "../../state/index.ts";
import { type CredentialPolicy, mustPull, type SecretIdentity, withPull } from "./pulled-images.ts";

const IMAGE = "r.example/team/app:1";
const secret = (name: string, hash: string): SecretIdentity => ({ uid: `uid-${name}`, namespace: "ns", name, hash });
const pulledWith = (...secrets: SecretIdentity[]) =>
  secrets.reduce<PullRecord | undefined>((record, own) => withPull(record, IMAGE, own), undefined);
const pulledByAnybody = withPull(undefined, IMAGE, undefined);

interface Case {
  name: string;
  policy?: CredentialPolicy;
  record?: PullRecord;
  isPulling?: boolean;
  secrets?: SecretIdentity[];
  image?: string;
  allowlist?: string[];
  want: boolean;
}

describe("mustPull (KEP-2535)", () => {
  it.each<Case>([
    { name: "an image that was always there", want: false },
    { name: "one that was always there, when all are verified", policy: "AlwaysVerify", want: true },
    { name: "one whose pull was never ended", isPulling: true, want: true },
    { name: "one that was pulled without credentials", record: pulledByAnybody, want: false },
    { name: "one that was pulled with a secret, without any", record: pulledWith(secret("a", "1")), want: true },
    { name: "with the same secret", record: pulledWith(secret("a", "1")), secrets: [secret("a", "1")], want: false },
    {
      name: "with another secret of the same content",
      record: pulledWith(secret("a", "1")),
      secrets: [secret("b", "1")],
      want: false,
    },
    {
      name: "with the same secret, whose content has changed",
      record: pulledWith(secret("a", "1")),
      secrets: [secret("a", "2")],
      want: false,
    },
    { name: "with another secret", record: pulledWith(secret("a", "1")), secrets: [secret("b", "2")], want: true },
    {
      name: "with the second of two",
      record: pulledWith(secret("a", "1"), secret("b", "2")),
      secrets: [secret("b", "2")],
      want: false,
    },
    {
      name: "another tag of it",
      record: pulledWith(secret("a", "1")),
      secrets: [secret("a", "1")],
      image: "r.example/team/app:2",
      want: false,
    },
    {
      name: "the same content in another repository",
      record: pulledByAnybody,
      image: "r.example/other/app:1",
      want: true,
    },
    {
      name: "anything, if nothing is verified",
      policy: "NeverVerify",
      record: pulledWith(secret("a", "1")),
      want: false,
    },
    {
      name: "one of the list",
      policy: "NeverVerifyAllowlistedImages",
      record: pulledWith(secret("a", "1")),
      allowlist: ["r.example/team/*"],
      want: false,
    },
    {
      name: "one that is not on the list",
      policy: "NeverVerifyAllowlistedImages",
      allowlist: ["r.example/team/other"],
      want: true,
    },
  ])(
    "$name: $want",
    ({
      policy = "NeverVerifyPreloadedImages",
      record,
      isPulling = false,
      secrets = [],
      image = IMAGE,
      allowlist = [],
      want,
    }) => {
      expect(mustPull(image, secrets, { record, isPulling }, { policy, allowlist })).toBe(want);
    },
  );
});

describe("withPull", () => {
  it("keeps each secret once, and no more than a bound", () => {
    const many = pulledWith(...Array.from({ length: 150 }, (_, index) => secret(`s${index}`, String(index))));
    expect(Object.values(many!.repositories)[0]!.secrets).toHaveLength(100);
    const twice = pulledWith(secret("a", "1"), secret("a", "2"));
    expect(Object.values(twice!.repositories)[0]!.secrets).toEqual([secret("a", "2")]);
  });
  it("forgets the secrets when anybody may have it", () =>
    expect(Object.values(withPull(pulledWith(secret("a", "1")), IMAGE, undefined).repositories)).toEqual([
      { isForAll: true, secrets: [] },
    ]));
});
