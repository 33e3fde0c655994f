import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { keepCertificate, refusal, type ServingPair } from "../../agent/apiforward/certificate.ts";
import { type ApiServer, openApiServer } from "../../agent/apiforward/server.ts";
import { Tunnel } from "../../agent/tunnel/index.ts";
import {
  createCertificateAuthority,
  importCaPrivateKey,
  issueNodeApiCertificate,
} from "../../control-plane/hosting/certificate-authority.ts";
import { type StandIn, startStandIn } from "./stand-in-control-plane.ts";

// What a node serves its pods, through a real tunnel to a real session.

const pem = (name: string) => readFileSync(join(import.meta.dirname, "../../cli/embedded/testdata", name), "utf8");
const CA = pem("ca.crt");

let controlPlane: StandIn;
let tunnel: Tunnel;
let server: ApiServer;

beforeAll(async () => {
  controlPlane = await startStandIn();
  tunnel = new Tunnel({
    endpoint: controlPlane.endpoint,
    credential: "n1",
    agentVersion: "test",
    onStream: (stream) => stream.reset("refused", "nothing is served here"),
  });
  tunnel.start();
  await connected();
  const pair = { keyPem: pem("server.key"), certificatePem: pem("server.crt") };
  server = await openApiServer({ host: "127.0.0.1", port: 0, pair, mux: () => tunnel.mux });
});
afterAll(async () => {
  await server?.close();
  await tunnel?.stop();
  await controlPlane?.stop();
});

const connected = () =>
  new Promise<void>((resolve) => {
    const stop = tunnel.onConnected(() => {
      resolve();
      queueMicrotask(() => stop());
    });
  });

interface Answer {
  status: number;
  text: string;
}
const get = (path: string, headers: Record<string, string> = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const call = httpsRequest(
      { host: "127.0.0.1", port: server.port, path, headers, ca: CA, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("latin1");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("error", reject);
        response.once("end", () => resolve({ status: response.statusCode!, text }));
      },
    );
    call.once("error", reject);
    call.end();
  });

describe("what pods ask of the API on their node", () => {
  it("is the caller's: its credential arrives, the node's identity does not", async () => {
    const { text } = await get("/api/v1/echo?x=1", { authorization: "Bearer pod", "x-hearth-component": "network" });
    expect(JSON.parse(text)).toMatchObject({ user: "the caller", authorization: "Bearer pod", query: "?x=1" });
  });

  it("arrives whole, many at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get("/api/v1/big?bytes=1000000")));
    expect(answers.map(({ text }) => text.length)).toEqual(Array(20).fill(1_000_000));
  });

  it("ends at the source when its caller goes", async () => {
    await new Promise<void>((resolve, reject) => {
      const path = "/api/v1/watch?everyMs=10";
      const call = httpsRequest({ host: "127.0.0.1", port: server.port, path, ca: CA, agent: false }, (response) => {
        response.once("data", () => {
          call.destroy();
          resolve();
        });
        response.on("error", () => {});
      });
      call.once("error", reject);
      call.end();
    });
    await expect.poll(async () => (await get("/api/v1/watches-ended")).text).toBe("1");
  });

  it("may be a WebSocket: text, bytes and closes", async () => {
    const client = new WebSocket(`wss://127.0.0.1:${server.port}/x`, ["echo"], { ca: CA });
    const got: [string, boolean][] = [];
    client.on("message", (data: Buffer, isBinary) => {
      got.push([String(data), isBinary]);
      if (got.length === 2) client.send("close");
    });
    client.on("open", () => {
      client.send("text");
      client.send(Buffer.from("bytes"));
    });
    const closed = await new Promise((resolve) =>
      client.on("close", (code, reason) => resolve([code, String(reason)])),
    );
    expect(client.protocol).toBe("echo");
    expect(got).toEqual([
      ["text", false],
      ["bytes", true],
    ]);
    expect(closed).toEqual([4001, "as you wish"]);
    await expect.poll(() => tunnel.mux.streamCount).toBe(0);
  });

  it("is answered 503 while the control plane is away, and served when it is back", async () => {
    await controlPlane.kill();
    await expect.poll(() => tunnel.isConnected).toBe(false);
    const startMs = performance.now();
    expect(await get("/api/v1/echo")).toMatchObject({
      status: 503,
      text: expect.stringContaining("ServiceUnavailable"),
    });
    expect(performance.now() - startMs).toBeLessThan(2000);
    await controlPlane.start();
    await connected();
    expect((await get("/api/v1/echo")).status).toBe(200);
  });
});

describe("the node's certificate", () => {
  const DAY_MS = 24 * 3600 * 1000;
  const stopping = new AbortController();
  afterEach(() => stopping.abort());

  async function authority() {
    const made = await createCertificateAuthority("c1", Date.now());
    const ca = {
      commonName: made.commonName,
      keyId: Buffer.from(made.keyIdHex, "hex"),
      privateKey: await importCaPrivateKey(made.privateKeyPkcs8),
    };
    return { pem: made.certificatePem, ca };
  }
  async function pairOf({ ca }: Awaited<ReturnType<typeof authority>>, nowMs = Date.now()): Promise<ServingPair> {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }) as string;
    return {
      keyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
      certificatePem: await issueNodeApiCertificate(ca, { publicKeyPem, node: "n1", clusterIp: "10.96.0.1" }, nowMs),
    };
  }

  it("is served from memory at once, with the control plane away", async () => {
    const made = await authority();
    const pair = await pairOf(made);
    const away = new Tunnel({ endpoint: "http://127.0.0.1:9", credential: "n1", agentVersion: "test", onStream() {} });
    const used: ServingPair[] = [];
    await keepCertificate(
      {
        clusterCa: made.pem,
        log: () => {},
        signal: stopping.signal,
        state: { secret: async () => pair, saveSecret: async () => {} } as never,
        tunnel: away,
      },
      async (each) => void used.push(each),
    );
    expect(used).toEqual([pair]);
  });

  it("is not served when it cannot be one of this cluster's, or is over", async () => {
    const [made, other] = [await authority(), await authority()];
    const [pair, foreign] = [await pairOf(made), await pairOf(other)];
    const now = Date.now();
    expect(refusal(pair, made.pem, now)).toBeUndefined();
    expect(refusal(pair, made.pem, now + 29 * DAY_MS)).toBeUndefined();
    expect(refusal(pair, made.pem, now + 31 * DAY_MS)).toBe("it has expired");
    expect(refusal(foreign, made.pem, now)).toBe("it is not signed by the cluster's CA");
    expect(refusal({ ...pair, keyPem: foreign.keyPem }, made.pem, now)).toBe("it is for another key");
    expect(refusal({ ...pair, certificatePem: "x" }, made.pem, now)).toBeDefined();
    expect(createPrivateKey(pair.keyPem).asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  });
});
