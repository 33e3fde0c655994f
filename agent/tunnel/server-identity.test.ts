import type { PeerCertificate } from "node:tls";
import { expect, it } from "vitest";
import { checkApiIdentity } from "./server-identity.ts";

const certificateFor = (subjectaltname: string, CN = "kube-apiserver") =>
  ({ subject: { CN }, subjectaltname }) as PeerCertificate;

it("takes the API's certificate, whatever the address", () =>
  expect(
    checkApiIdentity("203.0.113.7", certificateFor("DNS:localhost, DNS:kubernetes, IP Address:10.96.0.1")),
  ).toBeUndefined());

it("takes no other certificate of the same CA", () =>
  expect(checkApiIdentity("kubernetes", certificateFor("DNS:node-1"))).toBeInstanceOf(Error));

it("does not take for the API what a node serves its pods with", () =>
  expect(
    checkApiIdentity("kubernetes", certificateFor("DNS:kubernetes, IP Address:10.96.0.1", "hearth:node-api:node-1")),
  ).toBeInstanceOf(Error));
