import { afterAll, beforeAll, expect, it } from "vitest";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import { OwnCluster } from "../harness/own-cluster.ts";

// Answers that are held until it is known whether they are large enough to be compressed, to many who ask at once.
const CLIENTS = 6;
const TIMES = 10;
const BIG = "x".repeat(200_000);

let cluster: OwnCluster;
let client: JsonClient;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  client = clientFor(cluster.kubeconfigFile, CLIENTS);
  const body = JSON.stringify({ metadata: { name: "big" }, data: { text: BIG } });
  await client.send("POST", "/api/v1/namespaces/default/configmaps", body);
});

afterAll(async () => {
  await client?.close();
  await cluster?.remove();
});

it.each([
  { what: "a list below the bound", path: "/apis/rbac.authorization.k8s.io/v1/clusterroles", encoding: null },
  { what: "a list above it", path: "/api/v1/namespaces/default/configmaps", encoding: "gzip" },
  { what: "an object above it", path: "/api/v1/namespaces/default/configmaps/big", encoding: "gzip" },
])("$what comes whole to everybody who takes gzip", async ({ path, encoding }) => {
  const read = async () => {
    const texts: string[] = [];
    for (let n = 0; n < TIMES; n++) {
      const answer = await client.open("GET", path, undefined, undefined, { "accept-encoding": "gzip" });
      expect(answer.headers.get("content-encoding")).toBe(encoding);
      texts.push(await answer.text());
    }
    return texts;
  };
  const texts = (await Promise.all(Array.from({ length: CLIENTS }, read))).flat();
  expect(texts).toHaveLength(CLIENTS * TIMES);
  // Of whatever version: the cluster has just begun, and its controllers write too.
  const answers = texts.map((text) => JSON.parse(text) as { items?: unknown[]; metadata: object; data?: object });
  expect(new Set(answers.map(({ items, data }) => items?.length ?? JSON.stringify(data))).size).toBe(1);
  for (const answer of answers) expect(answer).toHaveProperty("metadata.resourceVersion");
});
