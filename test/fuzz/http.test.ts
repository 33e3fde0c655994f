import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { Dice } from "../../control-plane/apiserver/testing/random.ts";
import { rolls } from "../builders/effort.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { commandOf, processTree, treeMemoryBytes } from "../harness/process-tree.ts";
import { waitFor } from "../harness/wait-for.ts";
import { type FuzzAnswer, HttpExchange } from "./http-exchange.ts";
import { type FuzzRequest, NAMESPACE, randomRequest } from "./random-request.ts";

/*
 * A running control plane under random requests over HTTP: every one gets an answer, soon; none is an error of ours; and
 * the control plane stays the process that it was.
 */

const CONNECTIONS = 8;
/** Generous: the machine may be busy. What hangs takes longer. */
const TIMEOUT_MS = 20_000;
const MAX_GROWTH_BYTES = 400 * 1024 * 1024;
/** In a few places upstream itself answers 500, with its words and no reason; an error of ours has one. */
const GIVES_REASON = /^reason: .|"reason": ?"[^"]/m;

const { seed, times } = rolls(inject("effort"), { seed: 20_266, times: 3_000, nightlyTimes: 60_000 });

let cluster: OwnCluster;
let exchange: HttpExchange;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  const { clusters, users } = parse(readFileSync(cluster.kubeconfigFile, "utf8"));
  const ca = Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString();
  exchange = new HttpExchange({ port: cluster.port, token: users[0].user.token, ca, connections: CONNECTIONS });
  await create("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  const account = plain("GET", `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`);
  await waitFor("the service account", async () => (await exchange.send(account, TIMEOUT_MS)).code === 200);
  const spec = { containers: [{ name: "m", image: "example.com/none:1" }] };
  await create(`/api/v1/namespaces/${NAMESPACE}/pods`, { metadata: { name: "there" }, spec });
  await create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, { metadata: { name: "there" }, data: { a: "b" } });
  await create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, {
    metadata: { name: "there" },
    spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec } },
  });
});

afterAll(async () => {
  exchange?.close();
  await cluster?.remove();
});

const plain = (method: string, path: string, body?: object): FuzzRequest => ({
  method,
  path,
  headers: { "content-type": "application/json" },
  body: body && Buffer.from(JSON.stringify(body)),
  isWatch: false,
});

async function create(path: string, body: object): Promise<void> {
  const { code, text } = await exchange.send(plain("POST", path, body), TIMEOUT_MS);
  expect({ path, code, text }).toMatchObject({ code: 201 });
}

const workerd = () => processTree(cluster.controlPlanePid()).filter((pid) => commandOf(pid) === "workerd");

/** What is wrong with an answer; undefined when nothing is. */
function faultOf(request: FuzzRequest, { code, contentType, text }: FuzzAnswer): string | undefined {
  if (code >= 500 && (GIVES_REASON.test(text) || !text.includes("Status")) && !isTimeout(code)) return `code ${code}`;
  if (request.isWatch || request.method === "HEAD" || !/^application\/json/.test(contentType)) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "not JSON";
  }
}

/** A resourceVersion of the future is waited for, in vain. */
const isTimeout = (code: number) => code === 504;

it(`takes ${times} random requests, seed ${seed}`, { timeout: 3_600_000 }, async () => {
  const pids = workerd();
  const before = treeMemoryBytes(cluster.controlPlanePid());
  const dice = new Dice(seed);
  const faults: string[] = [];
  const codes = new Map<number, number>();
  let left = times;
  const ask = async () => {
    while (left-- > 0) {
      const request = randomRequest(dice);
      const told = () => JSON.stringify({ ...request, body: request.body?.toString("latin1") }).slice(0, 3_000);
      try {
        const answer = await exchange.send(request, TIMEOUT_MS);
        codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
        const fault = faultOf(request, answer);
        if (fault) faults.push(`${fault}: ${answer.text.slice(0, 500)}\n  for ${told()}`);
      } catch (error) {
        faults.push(`${String(error)}\n  for ${told()}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  console.log("codes", Object.fromEntries([...codes].sort(([a], [b]) => a - b)));
  expect(faults.slice(0, 20)).toEqual([]);
  // The requests reached what they were meant for: a generator that is only ever refused finds nothing.
  for (const code of [200, 201, 400, 404, 405, 415, 422]) expect(codes.get(code) ?? 0).toBeGreaterThan(times / 1_000);
  expect(workerd()).toEqual(pids);
  expect(treeMemoryBytes(cluster.controlPlanePid()) - before).toBeLessThan(MAX_GROWTH_BYTES);
});

it.each([
  { name: "nothing", text: "" },
  { name: "no HTTP", text: "\u0016\u0003\u0001hello\r\n\r\n" },
  { name: "half a request line", text: "GET /api" },
  {
    name: "two lengths",
    text: "POST /api/v1/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
  },
  {
    name: "a length and chunks",
    text: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  },
  { name: "a chunk of no size", text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n" },
  { name: "a negative length", text: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n" },
  {
    name: "less body than promised",
    text: "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{}",
  },
  { name: "many headers", text: `GET / HTTP/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(20_000)}\r\n` },
  { name: "a long header", text: `GET / HTTP/1.1\r\nHost: x\r\na: ${"b".repeat(200_000)}\r\n\r\n` },
  { name: "a long path", text: `GET /${"a".repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n` },
  { name: "a bare line feed", text: "GET /version HTTP/1.1\nHost: x\n\n" },
  {
    name: "an upgrade to nothing",
    text: "GET /version HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: none\r\n\r\n",
  },
])("a connection that sends $name harms nobody else", async ({ text }) => {
  const socket = connect({ host: "127.0.0.1", port: cluster.port, rejectUnauthorized: false });
  socket.on("error", () => undefined); // it may be reset
  socket.on("data", () => undefined);
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  socket.end(text, "latin1");
  expect(await exchange.send(plain("GET", "/readyz"), TIMEOUT_MS)).toMatchObject({ code: 200, text: "ok" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await exchange.send(plain("GET", `/api/v1/namespaces/${NAMESPACE}`), TIMEOUT_MS)).toMatchObject({ code: 200 });
  socket.destroy();
});
