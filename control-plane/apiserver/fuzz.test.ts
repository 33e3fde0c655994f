import { beforeAll, describe, expect, inject, it } from "vitest";
import type { JsonObject } from "../../shared/api/json.ts";
import { RESOURCES, type ResourceFacts, schemaOf } from "../../shared/schema/index.ts";
import { rolls } from "../../test/builders/effort.ts";
import { OPTION_NAMES } from "../../test/builders/option-names.ts";
import { type Reply, testApi } from "./testing/api.ts";
import { Dice, damaged, randomValue } from "./testing/random.ts";
import { renderYaml } from "./yaml/index.ts";

/*
 * Nothing that a client sends may end in an error of ours: whatever is wrong with it is the client's to know, with a
 * code below 500 (or in one of the places where upstream itself says 500, with its words and no reason). Seeded; each
 * failure names what was sent.
 */

const api = testApi();
const { seed: SEED, times: FACTOR } = rolls(inject("effort"), { seed: 20_262, times: 1 });
/** A request that is refused or answered takes a few; the machine may be busy. */
const SLOW_MS = 3_000;
const NAMESPACE = "fuzz";

const stored = RESOURCES.filter(({ virtual }) => !virtual);
const virtual = RESOURCES.filter((facts) => facts.virtual && facts.verbs.includes("create"));
const groupPath = ({ group, version }: ResourceFacts) =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
const pathOf = (facts: ResourceFacts) =>
  `${groupPath(facts)}/${facts.namespaced ? `namespaces/${NAMESPACE}/` : ""}${facts.resource}`;

beforeAll(async () => {
  expect((await api.post("/api/v1/namespaces", { metadata: { name: NAMESPACE } })).code).toBe(201);
  await api.post(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: "default" } });
});

async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
  const startMs = Date.now();
  const reply = await api.call(method, path, body, headers);
  const what = { method, path, body: typeof body === "string" ? body.slice(0, 2_000) : body, headers };
  const isOurs = reply.code >= 500 && reply.body.reason !== "" && reply.body.reason !== undefined && reply.code !== 504;
  if (isOurs) expect.fail(`${reply.code} ${reply.text.slice(0, 400)} for ${JSON.stringify(what)}`);
  if (Date.now() - startMs > SLOW_MS) expect.fail(`${Date.now() - startMs} ms for ${JSON.stringify(what)}`);
  return reply;
}

function randomObject(facts: ResourceFacts, dice: Dice): JsonObject {
  const object = randomValue(schemaOf(facts.schema), dice) as JsonObject | null;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object ?? {};
  if (dice.once(4)) return rest;
  return { ...rest, metadata: { ...(rest["metadata"] as JsonObject), name: "fuzz", namespace: undefined as never } };
}

describe("objects of odd contents", () => {
  it.each(stored.map((facts) => ({ path: pathOf(facts), facts })))(
    "created, updated and patched: $path",
    async ({ path, facts }) => {
      const dice = new Dice(SEED);
      for (let i = 0; i < 12 * FACTOR; i++) {
        await send("POST", `${path}?dryRun=All`, randomObject(facts, dice));
        await send("PUT", `${path}/fuzz?dryRun=All`, randomObject(facts, dice));
        const applied = {
          ...randomObject(facts, dice),
          apiVersion: groupPath(facts).replace(/^\/apis?\//, ""),
          kind: facts.kind,
        };
        const type = { "content-type": "application/apply-patch+yaml" };
        await send("PATCH", `${path}/fuzz?dryRun=All&fieldManager=f&force=true`, applied, type);
      }
    },
  );

  it.each(virtual.map((facts) => ({ path: pathOf(facts), facts })))("asked: $path", async ({ path, facts }) => {
    const dice = new Dice(SEED);
    for (let i = 0; i < 12 * FACTOR; i++) await send("POST", path, randomObject(facts, dice));
  });

  it("patches of objects that are there", async () => {
    const dice = new Dice(SEED);
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "m", image: "i" }] } };
    const there: [resource: string, facts: ResourceFacts | undefined, body: JsonObject][] = [
      ["pods", RESOURCES.find(({ kind }) => kind === "Pod"), template],
      ["services", RESOURCES.find(({ kind }) => kind === "Service"), { spec: { ports: [{ port: 80 }] } }],
      ["configmaps", RESOURCES.find(({ kind }) => kind === "ConfigMap"), { data: { a: "b" } }],
    ];
    for (const [resource, facts, body] of there) {
      const path = `/api/v1/namespaces/${NAMESPACE}/${resource}`;
      expect((await send("POST", path, { ...body, metadata: { name: "there" } })).code).toBe(201);
      for (let i = 0; i < 40 * FACTOR; i++) {
        const patch = randomValue(schemaOf(facts!.schema), dice);
        for (const type of ["merge", "strategic-merge"]) {
          const headers = { "content-type": `application/${type}-patch+json` };
          await send("PATCH", `${path}/there?dryRun=All`, withDirectives(patch, dice), headers);
        }
        const at = () =>
          dice.pick([
            "",
            "/",
            "/metadata",
            "/spec",
            "/data/a",
            "/spec/containers/0/name",
            "/spec/ports/-",
            "/spec/ports/-1",
            "/spec/ports/1e3",
            "a",
            "/metadata/labels/x~1y",
            "/~2",
          ]);
        const operations = Array.from({ length: dice.below(4) }, () => ({
          op: dice.pick(["add", "remove", "replace", "move", "copy", "test", "nothing", ""]),
          path: at(),
          from: at(),
          value: dice.once(3) ? undefined : randomValue(dice.pick([schemaOf(facts!.schema), { type: "string" }]), dice),
        }));
        await send("PATCH", `${path}/there?dryRun=All`, operations, { "content-type": "application/json-patch+json" });
      }
    }
  });
});

/** A strategic patch's directives where they belong, and where they do not. */
function withDirectives(value: unknown, dice: Dice): unknown {
  if (Array.isArray(value)) return value.map((item) => withDirectives(item, dice));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const changed = withDirectives(member, dice);
    if (!dice.once(8)) return [[key, changed]];
    const directive = dice.pick([
      `$setElementOrder/${key}`,
      `$deleteFromPrimitiveList/${key}`,
      "$retainKeys",
      "$patch",
    ]);
    const argument = dice.pick<unknown>([changed, [], [{}], [key], "delete", "replace", "merge", null, 7]);
    return [
      [key, changed],
      [directive, argument],
    ];
  });
  return Object.fromEntries(members);
}

describe("bodies that are damaged", () => {
  const POD = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "x", labels: { a: "b" } },
    spec: { containers: [{ name: "m", image: "i", ports: [{ containerPort: 80 }] }] },
  };
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`;

  it.each([
    ["application/json", JSON.stringify(POD)],
    ["application/yaml", renderYaml(POD)],
  ])("%s", async (type, text) => {
    const dice = new Dice(SEED);
    for (let i = 0; i < 300 * FACTOR; i++) await send("POST", pods, damaged(text, dice), { "content-type": type });
  });

  it.each([
    ["deep JSON", "application/json", "[".repeat(100_000)],
    ["deep JSON objects", "application/json", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`],
    ["deep metadata", "application/json", `{"metadata":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`],
    ["deep YAML", "application/yaml", "[".repeat(20_000)],
    ["deep YAML maps", "application/yaml", "{a: ".repeat(5_000)],
    ["deep YAML blocks", "application/yaml", Array.from({ length: 1_000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["YAML lists in lists", "application/yaml", "- ".repeat(5_000)],
    [
      "YAML that grows",
      "application/yaml",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((k, i) => `${k}: &${k} [${Array(9).fill(`*${"abcdefg"[i]}`).join(",")}]`)
        .join("\n")}`,
    ],
    ["YAML that holds itself", "application/yaml", "a: &a [*a]"],
    ["YAML merges", "application/yaml", "a: &a {<<: *a}\n<<: [*a, *a]"],
    ["YAML without an end", "application/yaml", `"${"x".repeat(100_000)}`],
    ["YAML with many keys", "application/yaml", Array.from({ length: 20_000 }, (_, i) => `k${i}: v`).join("\n")],
    ["YAML with odd keys", "application/yaml", "? [a, b]\n: c\n? {d: e}\n: f\nnull: 1\ntrue: 2\n1.5: 3"],
    [
      "YAML of other types",
      "application/yaml",
      "kind: !!binary aGk=\nmetadata: !!set {a, b}\nspec: !!omap [a: 1]\nx: !!timestamp 2001-01-01\ny: !foo bar",
    ],
    [
      "YAML of not a number",
      "application/yaml",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {priority: .nan, activeDeadlineSeconds: .inf}",
    ],
    [
      "a prototype",
      "application/json",
      '{"__proto__":{"kind":"Pod"},"constructor":{"prototype":{}},"metadata":{"__proto__":{"name":"x"}}}',
    ],
    ["half of a pair", "application/json", '{"metadata":{"name":"\\ud800"}}'],
    ["a great number", "application/json", `{"metadata":{"name":"x"},"spec":{"priority":${"9".repeat(10_000)}}}`],
    ["a long name", "application/json", `{"metadata":{"name":"${"a".repeat(500_000)}"}}`],
  ])("%s", async (_name, type, body) => {
    expect((await send("POST", pods, body, { "content-type": type })).code).toBeLessThan(500);
    const apply = { "content-type": "application/apply-patch+yaml" };
    await send("PATCH", `/api/v1/namespaces/${NAMESPACE}/pods/x?dryRun=All&fieldManager=f`, body, apply);
    await send("DELETE", `/api/v1/namespaces/${NAMESPACE}/pods/none`, body, { "content-type": type });
  });
});

describe("requests of odd heads", () => {
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
  const VALUES = [
    "",
    "0",
    "1",
    "-1",
    "true",
    "abc",
    "a=b",
    "a in (b",
    "!",
    "a,,b",
    "metadata.name=x",
    "=,=",
    "9".repeat(30),
    "%00",
    "%ff",
    "é",
    "\\",
    "All",
    "a".repeat(3_000),
    "((((((((",
    "in notin",
    "x>1,y<",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
  ];
  const inQuery = (value: string, dice: Dice) => (dice.once(6) ? value.replaceAll("#", "") : encodeURIComponent(value));

  it("queries", async () => {
    const dice = new Dice(SEED);
    for (let i = 0; i < 400 * FACTOR; i++) {
      const query = Array.from(
        { length: 1 + dice.below(3) },
        () => `${dice.pick(OPTION_NAMES)}=${inQuery(dice.pick(VALUES), dice)}`,
      ).join("&");
      const method = dice.pick(["GET", "GET", "GET", "POST", "DELETE", "PATCH"]);
      const [path, body] =
        method === "POST" ? [pods, "{}"] : method === "GET" ? [pods, undefined] : [`${pods}/none`, undefined];
      await send(method, `${path}?${query}`, body, {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      });
    }
  });

  it("selectors made of their own pieces", async () => {
    const dice = new Dice(SEED);
    const pieces = [
      "a",
      "b.c/d",
      "in",
      "notin",
      "(",
      ")",
      ",",
      "=",
      "==",
      "!=",
      "!",
      ">",
      "<",
      "1",
      " ",
      "metadata.name",
      "status.phase",
      "\\",
      "é",
      "exists",
    ];
    for (let i = 0; i < 400 * FACTOR; i++) {
      const text = Array.from({ length: 1 + dice.below(9) }, () => dice.pick(pieces)).join(dice.pick(["", " "]));
      await send("GET", `${pods}?${dice.pick(["labelSelector", "fieldSelector"])}=${encodeURIComponent(text)}`);
    }
  });

  it("paths", async () => {
    const dice = new Dice(SEED);
    const parts = [
      "api",
      "apis",
      "v1",
      "apps",
      "watch",
      "proxy",
      "namespaces",
      NAMESPACE,
      "pods",
      "deployments",
      "status",
      "scale",
      "log",
      "exec",
      "binding",
      "none",
      "",
      ".",
      "..",
      "%2e%2e",
      "%",
      "%zz",
      "%ff",
      "%00",
      "a%2Fb",
      "openapi",
      "v3",
      "healthz",
      "version",
      "é",
      "x".repeat(300),
      "nodes",
      "token",
      "eviction",
    ];
    for (let i = 0; i < 500 * FACTOR; i++) {
      const path = `/${Array.from({ length: 1 + dice.below(8) }, () => dice.pick(parts)).join("/")}`;
      await send(
        dice.pick(["GET", "GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"]),
        path.startsWith("//") ? `/x${path}` : path,
      );
    }
  });

  it("headers", async () => {
    const dice = new Dice(SEED);
    const pieces = [
      "application/json",
      "application/yaml",
      "*/*",
      "text/html",
      "application/vnd.kubernetes.protobuf",
      ";",
      "as=Table",
      ";as=PartialObjectMetadataList",
      ";g=meta.k8s.io",
      ";v=v1",
      ";v=v9",
      ";q=0.5",
      ";q=x",
      ";stream=watch",
      ",",
      " ",
      "=",
      '"',
      "application/",
      "/",
      ";charset=utf-16",
    ];
    for (let i = 0; i < 300 * FACTOR; i++) {
      const value =
        Array.from({ length: 1 + dice.below(6) }, () => dice.pick(pieces))
          .join("")
          .trim() || "x";
      await send("GET", pods, undefined, { accept: value });
      await send("POST", `${pods}?dryRun=All`, "{}", { "content-type": value });
    }
  });
});
