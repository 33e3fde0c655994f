import { env } from "cloudflare:test";
import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { Multiplexer, type OpenMeta, requestThrough } from "../../shared/tunnel/index.ts";
import { bootstrapCluster, certifyNodeApi, serveCaller } from "../apiserver/index.ts";
import { testApi } from "../apiserver/testing/api.ts";
import type { Env } from "../env.ts";
import { handleHostingRequest } from "../hosting/index.ts";
import { answerForwarded } from "./forwarded-request.ts";

// The session's end of what an agent passes on, in front of the real API: who asks is in the request, and nowhere else.

const testEnv = env as unknown as Env;
const CLUSTER = "forwarded";
let adminToken = "";
let clusterCa = "";
let accountToken = "";

beforeAll(async () => {
  const request = new Request(`https://k/hearth/v1/clusters/${CLUSTER}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testEnv.ROOT_SECRET}` },
  });
  const made = await handleHostingRequest(request, testEnv, CLUSTER, bootstrapCluster);
  ({ adminToken, clusterCa } = (await made.json()) as { adminToken: string; clusterCa: string });
  const api = testApi(CLUSTER);
  await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "app" } });
  const issued = await api.post("/api/v1/namespaces/default/serviceaccounts/app/token", { spec: {} });
  accountToken = (issued.body["status"] as { token: string }).token;
});

interface Sent {
  method?: OpenMeta["method"];
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends it as an agent would, through the two ends of a tunnel. */
async function send({ method = "GET", path = "/", headers = {}, body }: Sent) {
  const agent: Multiplexer = new Multiplexer({
    side: "agent",
    send: (bytes) => queueMicrotask(() => gateway.receive(bytes)),
    onStream: () => {},
  });
  const gateway = new Multiplexer({
    side: "gateway",
    send: (bytes) => queueMicrotask(() => agent.receive(bytes)),
    onStream: (stream) =>
      void answerForwarded(stream, (request) =>
        serveCaller(request, { env: testEnv, cluster: CLUSTER, waitUntil: () => {} }),
      ),
  });
  const answer = await requestThrough(agent, { kind: "forward", method, path, headers, ...(body ? { body } : {}) });
  const text = await new Response(answer.body).text();
  return { ...answer, text };
}

const WHOAMI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
async function whoami(headers: Record<string, string>) {
  const { status, text } = await send({
    method: "POST",
    path: WHOAMI,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  });
  const answer = JSON.parse(text) as { message?: string; status?: { userInfo?: { username?: string } } };
  return { status, user: answer.status?.userInfo?.username, message: answer.message };
}

describe("who asks", () => {
  it("is the bearer of the token in the request", async () => {
    const user = "system:serviceaccount:default:app";
    expect(await whoami({ authorization: `Bearer ${accountToken}` })).toMatchObject({ status: 201, user });
  });

  it("is nobody without one, whatever a front's headers say", async () => {
    const forged = {
      "x-remote-user": "admin",
      "x-remote-group": "system:masters",
      "x-hearth-component": "network",
      "x-hearth-node": "n1",
      "x-hearth-client-certificate": "e30.e30",
    };
    for (const headers of [{}, forged]) {
      const { status, message } = await whoami(headers);
      expect(status).toBe(403);
      expect(message).toContain('User "system:anonymous"');
    }
  });

  it("is refused with a token that is none", async () =>
    expect(await whoami({ authorization: "Bearer wrong" })).toMatchObject({ status: 401 }));

  it("may impersonate as far as the caller may", async () => {
    const refused = await whoami({ authorization: `Bearer ${accountToken}`, "impersonate-user": "jane" });
    expect(refused.status).toBe(403);
    const allowed = await whoami({ authorization: `Bearer ${adminToken}`, "impersonate-user": "jane" });
    expect(allowed).toMatchObject({ status: 201, user: "jane" });
  });
});

describe("what is asked", () => {
  const admin = () => ({ authorization: `Bearer ${adminToken}` });

  it.each([
    "/hearth/v1/join",
    "/hearth/v1/node-api-certificate",
    `/hearth/v1/clusters/${CLUSTER}`,
    "/clusters/home/api",
  ])("is the cluster's API and nothing beside it: %s", async (path) =>
    expect((await send({ method: "POST", path, headers: admin(), body: "{}" })).status).toBe(404),
  );

  it("has a body within the API's bound, whatever length it announces", async () => {
    const sent = { method: "POST" as const, path: "/api/v1/namespaces/default/configmaps" };
    const headers = { ...admin(), "content-type": "application/json", "content-length": "2" };
    const { status } = await send({ ...sent, headers, body: " ".repeat(4 * 1024 * 1024) });
    expect(status).toBe(413);
  });

  it("is answered in gzip when it is large and the caller takes it", async () => {
    for (let i = 0; i < 2; i++) {
      const { status } = await send({
        method: "POST",
        path: "/api/v1/namespaces/default/configmaps",
        headers: { ...admin(), "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name: `large-${i}` }, data: { text: "x".repeat(200_000) } }),
      });
      expect(status).toBe(201);
    }
    const headers = { ...admin(), "accept-encoding": "gzip" };
    const answer = await send({ path: "/api/v1/namespaces/default/configmaps", headers });
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(answer.text.length).toBeLessThan(100_000);
  });

  it("keeps the escapes and odd letters of its path", async () => {
    const { text } = await send({ path: "/api/v1/namespaces/default/configmaps/a%23b#c", headers: admin() });
    expect((JSON.parse(text) as { message: string }).message).toContain('"a#b#c"');
  });
});

describe("the certificate of a node's API", () => {
  const publicKeyPem = async () => {
    const keys = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
    ])) as CryptoKeyPair;
    const spki = (await crypto.subtle.exportKey("spki", keys.publicKey)) as ArrayBuffer;
    return `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...new Uint8Array(spki)))}\n-----END PUBLIC KEY-----\n`;
  };
  const ask = (body: object, node = "n1") =>
    certifyNodeApi(new Request("https://k/", { method: "POST", body: JSON.stringify(body) }), testEnv, {
      cluster: CLUSTER,
      node,
    });

  it("is for the names that pods use and for no others, whatever the node asks for", async () => {
    const answer = await ask({ publicKeyPem: await publicKeyPem(), dnsNames: ["elsewhere"], ipAddresses: ["1.2.3.4"] });
    expect(answer.status).toBe(200);
    const { certificatePem } = (await answer.json()) as { certificatePem: string };
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.verify(new X509Certificate(clusterCa).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe(
      "DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc, " +
        "DNS:kubernetes.default.svc.cluster.local, IP Address:10.96.0.1",
    );
    expect(certificate.subject).toBe("CN=hearth:node-api:n1");
    expect(certificate.ca).toBe(false);
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
  });

  it("keeps the subject of a node with a long name within what TLS takes", async () => {
    const answer = await ask({ publicKeyPem: await publicKeyPem() }, "n".repeat(253));
    const { certificatePem } = (await answer.json()) as { certificatePem: string };
    expect(new X509Certificate(certificatePem).subject).toHaveLength("CN=".length + 64);
  });

  it.each([
    { name: "no key", body: {} },
    {
      name: "something that is no key",
      body: { publicKeyPem: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----" },
    },
  ])("is refused for $name", async ({ body }) => expect((await ask(body)).status).toBe(400));
});
