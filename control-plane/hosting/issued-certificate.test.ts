import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { parseCertificateRequest } from "../../shared/pki/index.ts";
import { EVE_ED25519, NODE_P521_WITH_NAMES } from "../../shared/pki/testdata/requests.ts";
import { createCertificateAuthority, importCaPrivateKey } from "./certificate-authority.ts";
import { fromHex } from "./encoding.ts";
import { issueCertificate } from "./issued-certificate.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");

async function authority() {
  const made = await createCertificateAuthority("c1", NOW_MS);
  const privateKey = await importCaPrivateKey(made.privateKeyPkcs8);
  return { pem: made.certificatePem, ca: { commonName: made.commonName, keyId: fromHex(made.keyIdHex), privateKey } };
}

it("certifies key, subject and names of a request, and no CA", async () => {
  const { pem, ca } = await authority();
  const usages = ["digital signature", "key encipherment", "server auth", "client auth"];
  const issued = await issueCertificate(ca, { requestPem: NODE_P521_WITH_NAMES, usages, ttlSeconds: 600 }, NOW_MS);
  const certificate = new X509Certificate(issued);
  expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:n2");
  expect(certificate.subjectAltName).toBe(
    "DNS:n2, email:a@b.c, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://x/y",
  );
  expect(certificate.ca).toBe(false);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  expect(new Date(certificate.validFrom).toISOString()).toBe("2026-10-21T07:55:00.000Z");
  expect(new Date(certificate.validTo).toISOString()).toBe("2026-10-21T08:10:00.000Z");
  expect(certificate.verify(new X509Certificate(pem).publicKey)).toBe(true);
  const key = parseCertificateRequest(NODE_P521_WITH_NAMES).publicKey;
  expect(new Uint8Array(certificate.publicKey.export({ type: "spki", format: "der" }))).toEqual(new Uint8Array(key));
});

it("certifies no key of others, and nothing for an unknown use", async () => {
  const { ca } = await authority();
  const requestPem = EVE_ED25519.replace(/(.{20})(\n-----END)/, (_all, last: string, end: string) => {
    return `${last.startsWith("A") ? "B" : "A"}${last.slice(1)}${end}`;
  });
  const usages = ["client auth"];
  await expect(issueCertificate(ca, { requestPem, usages, ttlSeconds: 600 }, NOW_MS)).rejects.toThrow(
    "unable to verify certificate request signature",
  );
  const odd = { requestPem: EVE_ED25519, usages: ["odd"], ttlSeconds: 600 };
  await expect(issueCertificate(ca, odd, NOW_MS)).rejects.toThrow('unrecognized usage values: ["odd"]');
});
