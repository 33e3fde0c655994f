import { env, runInDurableObject } from "cloudflare:test";
import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "../env.ts";
import { handleHostingRequest, identityOf } from "./index.ts";

const testEnv = env as unknown as Env;
const ROOT = testEnv.ROOT_SECRET;
const CLUSTER = "routes-test";
let adminToken = "";
let clusterCa = "";

async function call(path: string, options: { method?: string; body?: unknown; token?: string } = {}) {
  const { method = "POST", body, token } = options;
  const request = new Request(`https://k${path}`, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const answer = await handleHostingRequest(request, testEnv, CLUSTER);
  return { code: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const publicKeyPem = async () => {
  const keys = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ])) as CryptoKeyPair;
  const spki = (await crypto.subtle.exportKey("spki", keys.publicKey)) as ArrayBuffer;
  return `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...new Uint8Array(spki)))}\n-----END PUBLIC KEY-----\n`;
};

const serviceCidrs = ["10.96.0.0/16"];

beforeAll(async () => {
  const { body } = await call(`/hearth/v1/clusters/${CLUSTER}`, { token: ROOT });
  adminToken = body["adminToken"] as string;
  clusterCa = body["clusterCa"] as string;
});

describe("creating a cluster", () => {
  it("gives the same identity when repeated", async () => {
    const again = await call(`/hearth/v1/clusters/${CLUSTER}`, { token: ROOT });
    expect(again).toEqual({ code: 200, body: { cluster: CLUSTER, adminToken, clusterCa, serviceCidrs } });
  });

  it("with ranges of its own keeps the first ones, and may get and lose second ones", async () => {
    const make = async (network: object | undefined) => {
      const { code, body } = await call("/hearth/v1/clusters/dual", { token: ROOT, body: { network } });
      return code === 200 ? body["serviceCidrs"] : body["message"];
    };
    const dual = {
      serviceClusterIpRange: "172.30.0.0/16,fd00:172:30::/112",
      clusterCidr: "10.1.0.0/16,fd00:10:1::/48",
    };
    const [first, second] = ["172.30.0.0/16", "fd00:172:30::/112"];
    expect(await make({ clusterCidr: "10.1.0.0/16,10.2.0.0/16" })).toContain("must be of different IP family");
    expect(await make({ serviceClusterIpRange: first })).toEqual([first]);
    expect(await make(undefined)).toEqual([first]);
    // Its pods have had the default range since it was made.
    expect(await make(dual)).toContain("--cluster-cidr: the cluster has 10.244.0.0/16");
    expect(await make({ ...dual, clusterCidr: "10.244.0.0/16,fd00:10:1::/48" })).toEqual([first, second]);
    expect(await make({ serviceClusterIpRange: "10.96.0.0/16" })).toContain("cannot be changed to 10.96.0.0/16");
    expect(await make({ serviceClusterIpRange: first })).toEqual([first]);
    const { network } = (await identityOf(testEnv, "dual").publicIdentity())!;
    expect(network).toEqual({ clusterCidrs: ["10.244.0.0/16", "fd00:10:1::/48"], serviceCidrs: [first] });
  });

  it("makes one identity when asked twice at once", async () => {
    const [one, two] = await Promise.all([0, 1].map(() => call("/hearth/v1/clusters/twins", { token: ROOT })));
    expect(one).toEqual(two);
  });

  it("writes the ranges in one transaction with the keys, so that no crash leaves one without the other", async () => {
    const network = { clusterCidrs: ["10.1.0.0/16"], serviceCidrs: ["172.30.0.0/16"] };
    const kept = await runInDurableObject(identityOf(testEnv, "crashing"), async (object, state) => {
      const { storage } = state;
      const transactionSync = storage.transactionSync.bind(storage);
      const afterEach: unknown[][] = [];
      storage.transactionSync = (closure) => {
        const result = transactionSync(closure);
        const facts = storage.sql.exec(
          "SELECT name FROM facts WHERE name IN ('caKeyWrapped', 'network') ORDER BY name",
        );
        afterEach.push(facts.toArray().map(({ name }) => name));
        return result;
      };
      await object.create("crashing", { network });
      return afterEach;
    });
    expect(kept).toEqual([["caKeyWrapped", "network"]]);
  });

  it("keeps no key in the clear", async () => {
    const facts = await runInDurableObject(identityOf(testEnv, CLUSTER), (_object, state) =>
      JSON.stringify(state.storage.sql.exec("SELECT * FROM facts").toArray()),
    );
    expect(facts).not.toContain(adminToken);
    expect(facts).not.toMatch(/PRIVATE KEY/);
  });
});

describe("the serving certificate", () => {
  it("is one that TLS clients accept for every name and address asked for", async () => {
    const { code, body } = await call(`/hearth/v1/clusters/${CLUSTER}/serving-certificate`, {
      token: ROOT,
      body: {
        publicKeyPem: await publicKeyPem(),
        dnsNames: ["localhost", "kubernetes.default.svc"],
        ipAddresses: ["127.0.0.1", "fd00::1:2", "::1"],
      },
    });
    expect(code).toBe(200);
    const leaf = new X509Certificate(body["certificatePem"] as string);
    const ca = new X509Certificate(clusterCa);
    expect(ca.ca).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkHost("kubernetes.default.svc")).toBe("kubernetes.default.svc");
    expect(leaf.checkHost("elsewhere")).toBeUndefined();
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(leaf.subjectAltName).toContain("IP Address:FD00:0:0:0:0:0:1:2");
  });
});

describe("refusals", () => {
  const post = (path: string, token?: string, body?: unknown) => ({ path, token, body });
  const cluster = `/hearth/v1/clusters/${CLUSTER}`;
  it.each([
    { name: "a path that is not there", ...post("/hearth/v1/other", ROOT), code: 404, message: "could not find" },
    { name: "creating without the secret", ...post("/hearth/v1/clusters/x"), code: 401, message: "Unauthorized" },
    {
      name: "creating with a wrong secret",
      ...post("/hearth/v1/clusters/x", "no"),
      code: 401,
      message: "Unauthorized",
    },
    {
      name: "a cluster id that is no label",
      ...post("/hearth/v1/clusters/a_b", ROOT),
      code: 400,
      message: "DNS label",
    },
    {
      name: "a certificate for a stranger",
      ...post(`${cluster}/serving-certificate`),
      code: 401,
      message: "Unauthorized",
    },
    {
      name: "a join token for a stranger",
      ...post(`${cluster}/join-tokens`, "no"),
      code: 401,
      message: "Unauthorized",
    },
    { name: "a body that is not JSON", ...post(`${cluster}/join-tokens`, ROOT, "{"), code: 400, message: "not JSON" },
    { name: "a body too large", ...post("/hearth/v1/join", "", "x".repeat(70_000)), code: 413, message: "too large" },
    {
      name: "a lifetime of no seconds",
      ...post(`${cluster}/join-tokens`, ROOT, { ttlSeconds: 0 }),
      code: 400,
      message: "ttlSeconds",
    },
    {
      name: "an unknown join token",
      ...post("/hearth/v1/join", "", { token: `aaaaaaaaaa.${"b".repeat(32)}`, nodeName: "n1", nowMs: Date.now() }),
      code: 401,
      message: "the join token is not known to this cluster",
    },
    {
      name: "a clock that is behind",
      ...post("/hearth/v1/join", "", { token: "x", nodeName: "n1", nowMs: Date.now() - 400_000 }),
      code: 400,
      message: /clock is 4\d\d s behind/,
    },
    {
      name: "a node name that is none",
      ...post("/hearth/v1/join", "", { token: "x", nodeName: "N_1", nowMs: Date.now() }),
      code: 400,
      message: "nodeName",
    },
  ])("$name", async ({ path, token, body, code, message }) => {
    const answer = await call(path, { token, body });
    expect(answer).toMatchObject({ code, body: { kind: "Status", status: "Failure", code } });
    expect(answer.body["message"]).toMatch(message);
  });

  it("reads no more of an endless body than its bound", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          sent += 32_768;
          controller.enqueue(new Uint8Array(32_768));
        },
      },
      { highWaterMark: 0 },
    );
    const request = new Request("https://k/hearth/v1/join", { method: "POST", body });
    expect((await handleHostingRequest(request, testEnv, CLUSTER)).status).toBe(413);
    expect(sent).toBeLessThan(300_000);
  });

  it("GET where only POST works", async () => {
    expect((await call(`/hearth/v1/clusters/${CLUSTER}`, { method: "GET", token: ROOT })).code).toBe(405);
  });
});

describe("join tokens", () => {
  const createToken = async (ttlSeconds: number) =>
    (await call(`/hearth/v1/clusters/${CLUSTER}/join-tokens`, { token: adminToken, body: { ttlSeconds } })).body;
  const join = (token: unknown, nodeName = "n1") =>
    call("/hearth/v1/join", { body: { token, nodeName, nowMs: Date.now() } });

  it("are exchanged for a credential, with the CA", async () => {
    const { token, caHash } = await createToken(60);
    expect(caHash).toMatch(/^sha256:[0-9a-f]{64}$/);
    const { code, body } = await join(token);
    expect(code).toBe(200);
    expect(body).toMatchObject({ cluster: CLUSTER, nodeName: "n1", clusterCa, serviceCidrs });
    expect(body["credential"]).toMatch(new RegExp(`^hearth-node\\.${CLUSTER}\\.`));
  });

  it("are useless after their expiry, and say so", async () => {
    const { token } = await createToken(60);
    await runInDurableObject(identityOf(testEnv, CLUSTER), (_object, state) => {
      state.storage.sql.exec(
        "UPDATE join_tokens SET expires_ms = ? WHERE id = ?",
        Date.now() - 1,
        `${token}`.split(".")[0],
      );
    });
    expect(await join(token)).toMatchObject({ code: 401, body: { message: expect.stringContaining("has expired") } });
  });

  it("with a right id and a wrong secret are unknown", async () => {
    const { token } = await createToken(60);
    const wrong = `${`${token}`.split(".")[0]}.${"z".repeat(32)}`;
    expect(await join(wrong)).toMatchObject({ code: 401, body: { message: expect.stringContaining("not known") } });
  });
});
