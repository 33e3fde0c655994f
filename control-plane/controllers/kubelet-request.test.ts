import { describe, expect, it } from "vitest";
import type { CertificateSigningRequest } from "../../shared/api/types.ts";
import type { CertificateRequest } from "../../shared/pki/index.ts";
import { approvalsFor } from "./csr-approving/decide.ts";
import { expiryMs } from "./csr-cleaner/decide.ts";
import { decide } from "./csr-signing/decide.ts";
import { kubeletClientError, kubeletServingError } from "./kubelet-request.ts";

const NONE = new Uint8Array();
const request = (fields: Partial<CertificateRequest> = {}): CertificateRequest => ({
  commonName: "system:node:n1",
  organizations: ["system:nodes"],
  dnsNames: [],
  emailAddresses: [],
  uris: [],
  ipAddresses: [],
  subject: NONE,
  publicKey: NONE,
  signed: NONE,
  signature: NONE,
  signatureAlgorithm: "",
  ...fields,
});
const CLIENT = ["digital signature", "client auth"];
const SERVING = ["digital signature", "key encipherment", "server auth"];

describe("a kubelet's client certificate", () => {
  it.each([
    { name: "as it should be", usages: CLIENT, want: undefined },
    { name: "for RSA", usages: [...CLIENT, "key encipherment"], want: undefined },
    { name: "of nobody", fields: { organizations: [] }, want: "subject organization is not system:nodes" },
    {
      name: "of more",
      fields: { organizations: ["system:nodes", "x"] },
      want: "subject organization is not system:nodes",
    },
    { name: "with a DNS name", fields: { dnsNames: ["x"] }, want: "DNS subjectAltNames are not allowed" },
    { name: "with an address", fields: { ipAddresses: [NONE] }, want: "IP subjectAltNames are not allowed" },
    {
      name: "of a person",
      fields: { commonName: "amy" },
      want: "subject common name does not begin with system:node:",
    },
    {
      name: "to serve",
      usages: SERVING,
      want: "usages did not match [client auth digital signature key encipherment]",
    },
  ])("$name", ({ fields, usages = CLIENT, want }) => expect(kubeletClientError(request(fields), usages)).toBe(want));
});

describe("a kubelet's serving certificate", () => {
  it.each([
    { name: "as it should be", fields: { dnsNames: ["n1"] }, want: undefined },
    { name: "of no address", fields: {}, want: "DNS or IP subjectAltName is required" },
    {
      name: "with a mail address",
      fields: { dnsNames: ["n1"], emailAddresses: ["a@b"] },
      want: "Email subjectAltNames are not allowed",
    },
    { name: "with a URI", fields: { dnsNames: ["n1"], uris: ["x:y"] }, want: "URI subjectAltNames are not allowed" },
    {
      name: "for a client",
      fields: { dnsNames: ["n1"] },
      usages: CLIENT,
      want: "usages did not match [digital signature key encipherment server auth]",
    },
  ])("$name", ({ fields, usages = SERVING, want }) => expect(kubeletServingError(request(fields), usages)).toBe(want));
});

const CREATED = "2026-10-21T08:00:00Z";
type Spec = Partial<CertificateSigningRequest["spec"]>;
const csr = (spec: Spec, conditions: string[] = ["Approved"]): CertificateSigningRequest => ({
  metadata: { name: "r", creationTimestamp: CREATED },
  spec: { request: "", signerName: "kubernetes.io/kube-apiserver-client", usages: CLIENT, ...spec },
  status: { conditions: conditions.map((type) => ({ type, status: "True", lastUpdateTime: "2026-10-21T08:30:00Z" })) },
});
const DAY = 24 * 3600;

describe("signing", () => {
  it.each<{ name: string; spec?: Spec; conditions?: string[]; want: object }>([
    { name: "an approved request", want: { step: "sign", ttlSeconds: 365 * DAY } },
    { name: "for as long as was asked for", spec: { expirationSeconds: DAY }, want: { ttlSeconds: DAY } },
    { name: "for a year at most", spec: { expirationSeconds: 9999 * DAY }, want: { ttlSeconds: 365 * DAY } },
    { name: "for ten minutes at least", spec: { expirationSeconds: 1 }, want: { ttlSeconds: 600 } },
    { name: "nothing that is not approved", conditions: [], want: { step: "none" } },
    { name: "nothing that failed", conditions: ["Approved", "Failed"], want: { step: "none" } },
    { name: "nothing of others' signers", spec: { signerName: "example.com/x" }, want: { step: "none" } },
    {
      name: "no server",
      spec: { usages: ["server auth"] },
      want: { message: "invalid usage for client certificate: server auth" },
    },
    {
      name: "no nothing",
      spec: { usages: ["digital signature"] },
      want: { message: "missing required usage for client certificate: client auth" },
    },
    {
      name: "whatever the legacy signer is asked for",
      spec: { signerName: "kubernetes.io/legacy-unknown", usages: ["any"] },
      want: { step: "sign" },
    },
    {
      name: "no kubelet without a name",
      spec: { signerName: "kubernetes.io/kubelet-serving", usages: SERVING },
      want: { step: "fail", message: "DNS or IP subjectAltName is required" },
    },
  ])("$name", ({ spec = {}, conditions, want }) =>
    expect(decide(csr(spec, conditions), () => request())).toMatchObject(want),
  );
});

describe("approving", () => {
  const kubelet = { signerName: "kubernetes.io/kube-apiserver-client-kubelet" };
  it.each<{ name: string; spec: Spec; conditions?: string[]; want: string[] }>([
    { name: "a node's own", spec: { ...kubelet, username: "system:node:n1" }, want: ["selfnodeclient", "nodeclient"] },
    { name: "a node's, asked for by another", spec: { ...kubelet, username: "joiner" }, want: ["nodeclient"] },
    { name: "nobody else's", spec: {}, want: [] },
    { name: "nothing twice", spec: kubelet, conditions: ["Denied"], want: [] },
    { name: "nothing that will not be signed", spec: { ...kubelet, usages: SERVING }, want: [] },
  ])("$name", ({ spec, conditions = [], want }) =>
    expect(approvalsFor(csr(spec, conditions), () => request()).map(({ subresource }) => subresource)).toEqual(want),
  );
});

it.each([
  { conditions: [], want: "2026-10-22T08:00:00Z" },
  { conditions: ["Approved"], want: "2026-10-21T09:30:00Z" },
  { conditions: ["Denied"], want: "2026-10-21T09:30:00Z" },
])("a request with $conditions goes at $want", ({ conditions, want }) =>
  expect(expiryMs(csr({}, conditions))).toBe(Date.parse(want)),
);
