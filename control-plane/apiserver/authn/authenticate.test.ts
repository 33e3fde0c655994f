import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { decodeStored, encodeStored } from "../../../shared/api/stored-object.ts";
import type { Env } from "../../env.ts";
import { handleHostingRequest, identityOf } from "../../hosting/index.ts";
import { storeOf } from "../stores.ts";
import { authenticate, issueServiceAccountToken, reviewToken } from "./index.ts";

const testEnv = env as unknown as Env;
const CLUSTER = "authn-test";
let adminToken = "";

const ask = (headers: Record<string, string>) =>
  authenticate(new Request("https://k/api", { headers }), testEnv, CLUSTER);
const askWith = (token: string) => ask({ authorization: `Bearer ${token}` });
const UNAUTHORIZED = expect.objectContaining({
  status: expect.objectContaining({ code: 401, message: "Unauthorized" }),
});

async function post(path: string, body: object, token: string): Promise<Response> {
  const request = new Request(`https://k/hearth/v1/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}` },
  });
  return handleHostingRequest(request, testEnv, CLUSTER);
}

async function put(resource: string, key: string, uid: string): Promise<void> {
  const [namespace, name] = key.split("/") as [string, string];
  const value = encodeStored({ metadata: { name, namespace, uid } });
  const attributes = { labels: {}, fields: {} };
  await storeOf(testEnv, CLUSTER, { group: "", resource }).write({ op: "create", key, uid, value, attributes });
}

async function remove(resource: string, key: string): Promise<void> {
  const store = storeOf(testEnv, CLUSTER, { group: "", resource });
  const stored = await store.get(key);
  await store.write({ op: "delete", key, expectRevision: stored!.revision });
}

beforeAll(async () => {
  const answer = await post(`clusters/${CLUSTER}`, {}, testEnv.ROOT_SECRET);
  adminToken = ((await answer.json()) as { adminToken: string }).adminToken;
});

describe("authenticate", () => {
  it("knows the admin", async () => {
    const want = { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };
    expect(await askWith(adminToken)).toEqual(want);
    expect(await askWith(adminToken)).toEqual(want); // from the cache
  });

  it("takes a request without a token for anonymous", async () => {
    expect(await ask({})).toBeUndefined();
  });

  it.each([
    { name: "garbage", token: () => "garbage" },
    { name: "a changed admin token", token: () => `${adminToken.slice(0, -1)}_` },
    { name: "an admin token of another cluster", token: () => adminToken.replace(CLUSTER, "other") },
    { name: "an unknown node credential", token: () => `hearth-node.${CLUSTER}.${"a".repeat(43)}` },
    { name: "the root secret", token: () => "the-root-secret" },
    {
      name: "a JWT signed by nobody",
      token: () => `${btoa('{"alg":"none"}')}.${btoa('{"iss":"https://kubernetes.default.svc"}')}.`,
    },
  ])("refuses $name", async ({ token }) => {
    await expect(askWith(token())).rejects.toEqual(UNAUTHORIZED);
  });

  it("knows a node by its credential until it joins again", async () => {
    const { token } = (await (await post(`clusters/${CLUSTER}/join-tokens`, {}, adminToken)).json()) as {
      token: string;
    };
    const join = async () =>
      ((await (await post("join", { token, nodeName: "n1", nowMs: Date.now() }, "")).json()) as { credential: string })
        .credential;
    const first = await join();
    const second = await join();
    expect(await askWith(second)).toEqual({
      username: "system:node:n1",
      groups: ["system:nodes", "system:authenticated"],
    });
    await expect(askWith(first)).rejects.toEqual(UNAUTHORIZED);
  });

  it("ignores a certificate header that the front did not sign", async () => {
    const payload = btoa(JSON.stringify({ cn: "admin", o: ["system:masters"], notAfterMs: 9e15, sha256: "" }));
    expect(await ask({ "x-hearth-client-certificate": `${payload}.${btoa("x".repeat(32))}` })).toBeUndefined();
  });

  async function askWithCertificate(cluster: string) {
    const { createHmac } = await import("node:crypto");
    const certificate = { cluster, cn: "jane", o: ["dev"], notAfterMs: Date.now() + 60_000, sha256: "ab" };
    const payload = btoa(JSON.stringify(certificate));
    const signature = createHmac("sha256", testEnv.ROOT_SECRET).update(payload).digest("base64url");
    return ask({ "x-hearth-client-certificate": `${payload}.${signature}` });
  }

  it("believes a certificate header that the front signed", async () => {
    expect(await askWithCertificate(CLUSTER)).toEqual({
      username: "jane",
      groups: ["dev", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab"] },
    });
  });

  it("takes nobody for the user of another cluster's certificate", async () => {
    expect(await askWithCertificate("other")).toBeUndefined();
  });

  it("reviews its own kinds of token for the API server's audience alone", async () => {
    const review = (audiences: string[]) => reviewToken(testEnv, CLUSTER, adminToken, audiences);
    expect(await review([])).toMatchObject({ user: { username: "admin" } });
    expect(await review(["vault", "https://kubernetes.default.svc"])).toMatchObject({
      user: { username: "admin" },
      audiences: ["https://kubernetes.default.svc"],
    });
    expect(await review(["vault"])).toEqual({ error: "invalid bearer token" });
  });
});

describe("service-account tokens", () => {
  it("works while its account and pod are there, and not after the pod is gone", async () => {
    await put("serviceaccounts", "shop/bot", "sa-1");
    await put("pods", "shop/web-0", "pod-1");
    const { token, jti } = await issueServiceAccountToken(testEnv, CLUSTER, {
      serviceAccount: { namespace: "shop", name: "bot", uid: "sa-1" },
      pod: { name: "web-0", uid: "pod-1" },
      node: { name: "n1", uid: "node-1" },
      expirationSeconds: 3600,
      audiences: [],
    });
    expect(await askWith(token)).toEqual({
      username: "system:serviceaccount:shop:bot",
      uid: "sa-1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
      extra: {
        "authentication.kubernetes.io/credential-id": [`JTI=${jti}`],
        "authentication.kubernetes.io/pod-name": ["web-0"],
        "authentication.kubernetes.io/pod-uid": ["pod-1"],
        "authentication.kubernetes.io/node-name": ["n1"],
        "authentication.kubernetes.io/node-uid": ["node-1"],
      },
    });
    await remove("pods", "shop/web-0");
    expect(await reviewToken(testEnv, CLUSTER, token, [])).toEqual({
      error: "[invalid bearer token, service account token has been invalidated]",
    });
  });

  it("is refused where its audience is another's, and reviewed for its own", async () => {
    await put("serviceaccounts", "shop/vault", "sa-2");
    const { token } = await issueServiceAccountToken(testEnv, CLUSTER, {
      serviceAccount: { namespace: "shop", name: "vault", uid: "sa-2" },
      expirationSeconds: 3600,
      audiences: ["vault.test", "db.test"],
    });
    await expect(askWith(token)).rejects.toEqual(UNAUTHORIZED);
    expect(await reviewToken(testEnv, CLUSTER, token, [])).toEqual({
      error:
        '[invalid bearer token, token audiences ["vault.test" "db.test"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
    });
    expect(await reviewToken(testEnv, CLUSTER, token, ["db.test", "x.test", "vault.test"])).toMatchObject({
      audiences: ["db.test", "vault.test"],
      user: { username: "system:serviceaccount:shop:vault" },
    });
  });

  it("of another cluster is refused", async () => {
    await identityOf(testEnv, "other").create("other");
    const { token } = await issueServiceAccountToken(testEnv, "other", {
      serviceAccount: { namespace: "shop", name: "bot", uid: "sa-1" },
      expirationSeconds: 3600,
      audiences: [],
    });
    await expect(askWith(token)).rejects.toEqual(UNAUTHORIZED);
  });
});

describe("a token of a Secret", () => {
  const LAST_USED = "kubernetes.io/legacy-token-last-used";
  const key = "default/builder-token";

  async function store(labels: Record<string, string>): Promise<string> {
    const token = await identityOf(testEnv, CLUSTER).signServiceAccountToken({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "default",
      "kubernetes.io/serviceaccount/secret.name": "builder-token",
      "kubernetes.io/serviceaccount/service-account.name": "builder",
      "kubernetes.io/serviceaccount/service-account.uid": "uid-builder",
      sub: "system:serviceaccount:default:builder",
      jti: crypto.randomUUID(),
    });
    const metadata = { name: "builder-token", namespace: "default", uid: "uid-token", labels };
    const value = encodeStored({
      metadata,
      type: "kubernetes.io/service-account-token",
      data: { token: btoa(token) },
    } as never);
    const attributes = { labels, fields: {} };
    const op = { op: "create", key, uid: "uid-token", value, attributes } as const;
    await storeOf(testEnv, CLUSTER, { group: "", resource: "secrets" }).write(op);
    return token;
  }

  const labels = async () => {
    const stored = await storeOf(testEnv, CLUSTER, { group: "", resource: "secrets" }).get(key);
    return decodeStored(stored!.value, stored!.revision).metadata.labels;
  };

  it("says when it was last used, also when it is not taken any more", async () => {
    await put("serviceaccounts", "default/builder", "uid-builder");
    const today = new Date().toISOString().slice(0, 10);
    const token = await store({ [LAST_USED]: "2025-01-01" });
    expect((await askWith(token))?.username).toBe("system:serviceaccount:default:builder");
    expect((await labels())?.[LAST_USED]).toBe(today);
    await remove("secrets", key);
    const marked = await store({ "kubernetes.io/legacy-token-invalid-since": "2025-01-01" });
    await expect(askWith(marked)).rejects.toEqual(UNAUTHORIZED);
    expect((await labels())?.[LAST_USED]).toBe(today);
    await remove("secrets", key);
  });

  it("is not noted for a token that the Secret does not hold any more, be it marked or not", async () => {
    await put("serviceaccounts", "default/builder", "uid-builder");
    const old = await store({});
    await remove("secrets", key);
    await store({ "kubernetes.io/legacy-token-invalid-since": "2025-01-01" });
    await expect(askWith(old)).rejects.toEqual(UNAUTHORIZED);
    expect((await labels())?.[LAST_USED]).toBeUndefined();
    await remove("secrets", key);
  });
});
