import { type Dice, damaged, randomValue } from "../../control-plane/apiserver/testing/random.ts";
import { renderYaml } from "../../control-plane/apiserver/yaml/index.ts";
import type { Json, JsonObject } from "../../shared/api/json.ts";
import { RESOURCES, type ResourceFacts, schemaOf } from "../../shared/schema/index.ts";
import { OPTION_NAMES } from "../builders/option-names.ts";

export interface FuzzRequest {
  method: string;
  /** With its query, as it goes into the request line. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** The stream goes on by itself; reading it a while is enough. */
  isWatch: boolean;
}

export const NAMESPACE = "fuzz";
/** What such an object says changes how other requests are answered: these are tried in dry runs only. */
const FAR_REACHING = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "flowcontrol.apiserver.k8s.io",
]);

const NAMES = [
  "a",
  "b",
  "there",
  "default",
  "kube-root-ca.crt",
  "x".repeat(254),
  "A",
  ".",
  "..",
  "a%2Fb",
  "%00",
  "%ff",
];
const SUBRESOURCES = ["status", "scale", "log", "exec", "attach", "portforward", "proxy", "eviction", "binding"].concat(
  ["token", "approval", "finalize", "ephemeralcontainers", "resize", "nothing"],
);
const ELSEWHERE = ["/", "/api", "/apis", "/version", "/healthz", "/readyz?verbose", "/livez/ping", "/metrics"].concat([
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/openid/v1/jwks",
  "/.well-known/openid-configuration",
  "/logs",
  "/debug/pprof",
  "/swagger.json",
  "/api/v1/watch/pods?timeoutSeconds=1",
  "/clusters/other/api/v1/pods",
  "/hearth/v1/join",
  "/hearth/v1/clusters/x",
]);

/** How long a watch lasts is set where one is made. */
const OPTIONS = OPTION_NAMES.concat(
  ["watch", "container", "command", "tailLines", "sinceTime"],
  ["verbose", "exclude", "timeout", "path", "ports", "as"],
).filter((name) => name !== "timeoutSeconds");
const OPTION_VALUES = [
  "",
  "0",
  "1",
  "-1",
  "true",
  "false",
  "abc",
  "a=b",
  "a in (b",
  "!a",
  "a,,b",
  "metadata.name=a",
].concat(
  ["9".repeat(30), "\u0000", "é", "\\", "All", "Strict", "Exact", "NotOlderThan", "Background", "x".repeat(2_000)],
  ["((((", "x>1,y<2", "a notin (b,c)", "status.phase!=Running", "2026-01-01T00:00:00Z", "1e9", "../..", "10s", "-5m"],
);
const PATCH_TYPES = [
  "json-patch+json",
  "merge-patch+json",
  "strategic-merge-patch+json",
  "apply-patch+yaml",
  "patch+json",
].concat(["apply-patch+cbor", "strategic-merge-patch+protobuf"]);
const ACCEPTS = [
  "application/json",
  "application/yaml",
  "*/*",
  "text/html",
  "application/vnd.kubernetes.protobuf",
].concat(
  ["application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"],
  [
    "application/json;as=Nothing;v=v9;g=x",
    "application/json;stream=watch",
    ";;;",
    "application/json;q=x",
    "a/b, */*;q=0.1",
  ],
  [
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  ],
);

const rootOf = ({ group, version }: ResourceFacts) => (group === "" ? `/api/${version}` : `/apis/${group}/${version}`);

/** A request that a client might send, with something odd in most of its parts. */
export function randomRequest(dice: Dice): FuzzRequest {
  const facts = dice.pick(RESOURCES);
  const method = dice.pick(
    [
      "GET",
      "GET",
      "POST",
      "POST",
      "POST",
      "PUT",
      "PUT",
      "PATCH",
      "PATCH",
      "PATCH",
      "DELETE",
      "GET",
      "POST",
      "PATCH",
      "PUT",
    ].concat(dice.once(8) ? ["OPTIONS", "HEAD", "X-ODD", "PROPFIND"] : []),
  );
  const isWrite = method !== "GET" && method !== "HEAD";
  const options = Array.from({ length: dice.below(4) }, () => [dice.pick(OPTIONS), randomOption(dice)] as const);
  const isDry = isWrite && (FAR_REACHING.has(facts.group) || dice.once(3));
  const query = [
    ...options.filter(([name]) => !isDry || name !== "dryRun"),
    ...(isDry ? [["dryRun", "All"] as const] : []),
  ];
  const isWatch = query.some(([name]) => name === "watch");
  const text = query.map(([name, value]) => `${name}=${dice.once(9) ? escapeLine(value) : encodeURIComponent(value)}`);
  if (isWatch) text.push("timeoutSeconds=1");
  const path = randomPath(facts, method, dice);
  const target = text.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${text.join("&")}`;
  const [type, body] = isWrite && !dice.once(10) ? randomBody(facts, method, dice) : ["application/json", undefined];
  const headers: Record<string, string> = { accept: dice.once(4) ? dice.pick(ACCEPTS) : "application/json" };
  if (body || dice.once(3)) headers["content-type"] = dice.once(12) ? dice.pick(ACCEPTS) : type;
  if (dice.once(8)) headers["accept-encoding"] = dice.pick(["gzip", "br", "gzip;q=0", "*"]);
  if (dice.once(20)) headers["if-none-match"] = dice.pick(['"x"', "*", "x"]);
  if (dice.once(25))
    headers["impersonate-user"] = dice.pick(["jane", "", "system:serviceaccount:a:b", "system:node:n"]);
  if (headers["impersonate-user"] && dice.once(3)) headers["impersonate-extra-%zz"] = "x";
  if (dice.once(30)) headers["content-encoding"] = "gzip";
  if (dice.once(30))
    headers["authorization"] = dice.pick(["Bearer x", "Bearer a.b.c", "Basic eDp5", "Bearer ", "é", "x"]);
  return { method, path: target, headers, body, isWatch: isWatch || target.includes("/watch/") };
}

/** As a careless client would leave it; spaces and controls would end the request line. */
const escapeLine = (value: string) => value.replace(/[^!-~]/g, "").replaceAll("#", "");

function randomOption(dice: Dice): string {
  if (!dice.once(4)) return dice.pick(OPTION_VALUES);
  const token = JSON.stringify({
    v: "meta.k8s.io/v1",
    rv: dice.below(40),
    start: dice.pick(["a\u0000", "fuzz/a\u0000", "../"]),
  });
  return Buffer.from(damaged(token, dice)).toString("base64url");
}

function randomPath(facts: ResourceFacts, method: string, dice: Dice): string {
  if (dice.once(15)) return dice.pick(ELSEWHERE);
  const parts = [rootOf(facts)];
  if (facts.namespaced && !dice.once(6)) parts.push(`namespaces/${dice.once(12) ? dice.pick(NAMES) : NAMESPACE}`);
  parts.push(facts.resource);
  if (method !== "POST" ? !dice.once(4) : dice.once(6))
    parts.push(dice.once(5) ? dice.pick(NAMES) : dice.pick(["a", "b", "there"]));
  if (dice.once(6)) parts.push(dice.pick([...SUBRESOURCES, ...facts.subresources.map(({ name }) => name)]));
  if (dice.once(25)) parts.push(dice.pick(["x", "%2e%2e", "a b".replace(" ", "%20"), ""]));
  const path = parts.join("/");
  return dice.once(40) ? path.replace("/", dice.pick(["//", "/./", "/x/../"])) : path;
}

function randomBody(facts: ResourceFacts, method: string, dice: Dice): [type: string, body: Buffer] {
  const object = randomObject(facts, dice);
  if (method === "DELETE") {
    const options = {
      gracePeriodSeconds: dice.pick([0, -1, 5, "x"]),
      preconditions: dice.pick<Json>([{}, { uid: "x" }, null, 7]),
    };
    return [
      "application/json",
      Buffer.from(dice.once(3) ? damaged(JSON.stringify(options), dice) : JSON.stringify(options)),
    ];
  }
  if (method === "PATCH") {
    const type = `application/${dice.pick(PATCH_TYPES)}`;
    const patch = type.includes("json-patch") ? randomOperations(object, dice) : object;
    const text = JSON.stringify(patch);
    return [type, Buffer.from(dice.once(4) ? damaged(text, dice) : text)];
  }
  switch (dice.below(6)) {
    case 0:
      return ["application/yaml", Buffer.from(damaged(renderYaml(object), dice))];
    case 1: {
      const bytes = Uint8Array.from({ length: dice.below(60) }, () => dice.below(256));
      return ["application/vnd.kubernetes.protobuf", Buffer.concat([Buffer.from("k8s\0"), bytes])];
    }
    case 2:
      return ["application/json", Buffer.from(damaged(JSON.stringify(object), dice))];
    default:
      return ["application/json", Buffer.from(JSON.stringify(object))];
  }
}

function randomObject(facts: ResourceFacts, dice: Dice): JsonObject {
  const value = randomValue(schemaOf(facts.schema), dice);
  const object: JsonObject = typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value };
  const apiVersion = facts.group === "" ? facts.version : `${facts.group}/${facts.version}`;
  if (dice.once(8)) return object;
  const metadata = typeof object["metadata"] === "object" ? (object["metadata"] ?? {}) : {};
  const { namespace: _namespace, ...rest } = metadata as JsonObject;
  return { ...object, apiVersion, kind: facts.kind, metadata: { ...rest, name: dice.pick(["a", "b", "there"]) } };
}

function randomOperations(object: JsonObject, dice: Dice): Json {
  const at = () =>
    dice.pick([
      "",
      "/",
      "/metadata",
      "/spec",
      "/data/a",
      "/spec/-",
      "/metadata/labels/x~1y",
      "/~2",
      "a",
      "/metadata/name",
      "/spec/0",
    ]);
  return Array.from({ length: dice.below(5) }, () => ({
    op: dice.pick(["add", "remove", "replace", "move", "copy", "test", "nothing"]),
    path: at(),
    from: at(),
    value: dice.pick<Json>([object, null, "x", 7, [], object["spec"] ?? {}]),
  }));
}
