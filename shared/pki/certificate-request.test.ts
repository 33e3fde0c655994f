import { describe, expect, it } from "vitest";
import { parseCertificateRequest } from "./certificate-request.ts";
import { isSignedByItsKey } from "./request-signature.ts";
import { AMY_RSA, EVE_ED25519, NODE_P256, NODE_P521_WITH_NAMES } from "./testdata/requests.ts";

const NO_NAMES = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };

it.each([
  {
    name: "P-256",
    pem: NODE_P256,
    want: { commonName: "system:node:n1", organizations: ["system:nodes"], ...NO_NAMES },
  },
  { name: "RSA", pem: AMY_RSA, want: { commonName: "amy", organizations: ["dev"], ...NO_NAMES } },
  { name: "Ed25519", pem: EVE_ED25519, want: { commonName: "eve", organizations: [], ...NO_NAMES } },
  {
    name: "P-521 with names",
    pem: NODE_P521_WITH_NAMES,
    want: {
      commonName: "system:node:n2",
      dnsNames: ["n2"],
      emailAddresses: ["a@b.c"],
      uris: ["spiffe://x/y"],
      ipAddresses: [Uint8Array.of(10, 0, 0, 1), Uint8Array.of(0xfd, ...new Array<number>(14).fill(0), 1)],
    },
  },
])("reads a request with a key of $name, and believes it", async ({ pem, want }) => {
  const request = parseCertificateRequest(pem);
  expect(request).toMatchObject(want);
  expect(await isSignedByItsKey(request)).toBe(true);
});

describe("a request that was changed", () => {
  it.each([
    { part: "signed" as const, name: "what was signed" },
    { part: "signature" as const, name: "the signature" },
  ])("is not believed: $name", async ({ part }) => {
    for (const pem of [NODE_P256, AMY_RSA, EVE_ED25519]) {
      const request = parseCertificateRequest(pem);
      const bytes = Uint8Array.from(request[part]);
      bytes[bytes.length - 1] = bytes.at(-1)! ^ 1;
      expect(await isSignedByItsKey({ ...request, [part]: bytes })).toBe(false);
    }
  });
});

it.each([
  { name: "no PEM", pem: "hello", error: "PEM block type must be CERTIFICATE REQUEST" },
  { name: "a certificate", pem: NODE_P256.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE"), error: "PEM block type" },
  { name: "cut off", pem: NODE_P256.replace(/\n[^\n]+\n-----END/, "\n-----END"), error: "longer than what holds it" },
  {
    name: "an endless length",
    pem: `-----BEGIN CERTIFICATE REQUEST-----\n${btoa("0\x84\xff\xff\xff\xff")}\n-----END CERTIFICATE REQUEST-----\n`,
    error: "a length that is not DER",
  },
])("refuses $name", ({ pem, error }) => expect(() => parseCertificateRequest(pem)).toThrow(error));
