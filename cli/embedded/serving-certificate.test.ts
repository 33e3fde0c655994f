import { describe, expect, it } from "vitest";
import { isRenewalDue, servingNames } from "./serving-certificate.ts";

const DAY_MS = 24 * 3600 * 1000;
const NOW_MS = 1_800_000_000_000;

it("covers every name that a client on or off this machine may use", () => {
  expect(servingNames("Box.lan", ["10.96.0.1", "192.0.2.7", "fe80::1%eth0", "127.0.0.1"])).toEqual({
    dnsNames: [
      "box.lan",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local",
      "localhost",
    ],
    ipAddresses: ["10.96.0.1", "127.0.0.1", "192.0.2.7", "::1"],
  });
});

describe("a new certificate is due", () => {
  const names = servingNames("box", ["192.0.2.7"]);
  const certificate = { keyPem: "", chainPem: "", names, expiresMs: NOW_MS + 300 * DAY_MS };
  it.each([
    { name: "not while all is well", names, nowMs: NOW_MS, want: false },
    { name: "when an address is new", names: servingNames("box", ["192.0.2.8"]), nowMs: NOW_MS, want: true },
    { name: "not when an address is gone", names: servingNames("box", []), nowMs: NOW_MS, want: false },
    { name: "two months before the end", names, nowMs: NOW_MS + 241 * DAY_MS, want: true },
  ])("$name", ({ names: now, nowMs, want }) => expect(isRenewalDue(certificate, now, nowMs)).toBe(want));
});
