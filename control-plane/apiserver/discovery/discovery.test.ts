import { describe, expect, it } from "vitest";
import { ApiError } from "../../../shared/api/status.ts";
import { serveDiscovery } from "./index.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const PROTOBUF = "application/vnd.kubernetes.protobuf";

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  serveDiscovery({ method, url: new URL(`https://10.0.0.5:6443${path}`), headers: new Headers(headers) });

// biome-ignore lint/suspicious/noExplicitAny: documents are compared by their parts
const read = (path: string, headers: Record<string, string> = {}): any =>
  JSON.parse(ask(path, headers)?.body as string) as unknown;

function refusal(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  throw new Error("expected a refusal");
}

const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

describe("documents of the old form", () => {
  it("/api tells the server's address", () => {
    expect(read("/api")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "10.0.0.5:6443" }],
    });
  });

  it("/apis lists groups in upstream's order", () => {
    const { kind, groups } = read("/apis");
    expect(kind).toBe("APIGroupList");
    expect(groups.slice(0, 3).map(({ name }: { name: string }) => name)).toEqual([
      "apiregistration.k8s.io",
      "apps",
      "events.k8s.io",
    ]);
  });

  it("a group prefers its first version", () => {
    expect(read("/apis/autoscaling")).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "autoscaling",
      versions: [
        { groupVersion: "autoscaling/v2", version: "v2" },
        { groupVersion: "autoscaling/v1", version: "v1" },
      ],
      preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
    });
  });

  it.each([
    [
      "/apis/apps/v1",
      "deployments",
      {
        name: "deployments",
        singularName: "deployment",
        namespaced: true,
        kind: "Deployment",
        verbs: ALL_VERBS,
        shortNames: ["deploy"],
        categories: ["all"],
        storageVersionHash: "8aSe+NMegvE=",
      },
    ],
    [
      "/apis/apps/v1",
      "deployments/scale",
      {
        name: "deployments/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"],
      },
    ],
    [
      "/api/v1",
      "pods/eviction",
      {
        name: "pods/eviction",
        singularName: "",
        namespaced: true,
        group: "policy",
        version: "v1",
        kind: "Eviction",
        verbs: ["create"],
      },
    ],
    [
      "/api/v1",
      "bindings",
      { name: "bindings", singularName: "binding", namespaced: true, kind: "Binding", verbs: ["create"] },
    ],
  ])("%s has %s", (path, name, want) => {
    const found = read(path).resources.find((resource: { name: string }) => resource.name === name);
    expect(found).toEqual(want);
  });

  it("tells the stored version of a resource with two views", () => {
    const hash = (path: string) => read(path).resources[0].storageVersionHash;
    expect(hash("/apis/autoscaling/v1")).toBe(hash("/apis/autoscaling/v2"));
  });

  it("the root tells every other path", () => {
    const { paths } = read("/");
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(
      expect.arrayContaining(["/api/v1", "/apis/apps/v1", "/healthz/etcd", "/openapi/v3", "/version"]),
    );
    expect(paths).not.toContain("/readyz/etcd");
  });

  it("the core version alone has no apiVersion", () => {
    expect(read("/api/v1").apiVersion).toBeUndefined();
    expect(read("/apis/apps/v1/").apiVersion).toBe("v1");
  });

  it.each(["/apis/nope.example.com", "/apis/apps/v9", "/api/v2", "/api/v1/pods", "/apis//v1", "/versions"])(
    "%s is not ours",
    (path) => expect(ask(path)).toBeUndefined(),
  );
});

/** `{typeMeta=1 {apiVersion=1, kind=2}, raw=2, …}` behind `k8s` and a zero. */
const envelope = (apiVersion: string, kind: string, raw: number[]) => [
  ...[0x6b, 0x38, 0x73, 0, 0x0a, 4 + apiVersion.length + kind.length],
  ...[0x0a, apiVersion.length, ...text(apiVersion), 0x12, kind.length, ...text(kind)],
  ...[0x12, raw.length, ...raw, 0x1a, 0, 0x22, 0],
];
const text = (value: string) => [...new TextEncoder().encode(value)];

describe("documents in protobuf", () => {
  const bytesOf = async (path: string) =>
    Array.from(new Uint8Array(await new Response(ask(path, { accept: PROTOBUF })?.body).arrayBuffer()));

  it("a group, whose preferred version is always there", async () => {
    const version = [0x0a, 7, ...text("apps/v1"), 0x12, 2, ...text("v1")];
    const group = [0x0a, 4, ...text("apps"), 0x12, version.length, ...version, 0x1a, version.length, ...version];
    expect(await bytesOf("/apis/apps")).toEqual(envelope("v1", "APIGroup", group));
  });

  it("the versions of the core group, which name none of their own", async () => {
    const address = [0x0a, 9, ...text("0.0.0.0/0"), 0x12, 13, ...text("10.0.0.5:6443")];
    const versions = [0x0a, 2, ...text("v1"), 0x12, address.length, ...address];
    expect(await bytesOf("/api")).toEqual(envelope("", "APIVersions", versions));
  });

  it("a resource, whose verbs are a message", async () => {
    const bytes = await bytesOf("/apis/scheduling.k8s.io/v1");
    const verbs = ALL_VERBS.flatMap((verb) => [0x0a, verb.length, ...text(verb)]);
    const written = [0x22, verbs.length, ...verbs].join();
    expect(bytes.join()).toContain(written);
  });
});

describe("the aggregated document", () => {
  it.each([AGGREGATED, `${AGGREGATED},application/json`, `text/html,application/json;q=0.9,${AGGREGATED}`])(
    "for %s",
    (accept) => {
      const answer = ask("/apis", { accept })!;
      expect(answer.headers["content-type"]).toBe(AGGREGATED);
      const { kind, apiVersion, items } = JSON.parse(answer.body as string);
      expect({ kind, apiVersion }).toEqual({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
      expect(items[1].metadata).toEqual({ name: "apps" });
      expect(items[1].versions[0].resources[2]).toEqual({
        resource: "deployments",
        responseKind: { group: "", version: "", kind: "Deployment" },
        scope: "Namespaced",
        singularResource: "deployment",
        verbs: ALL_VERBS,
        shortNames: ["deploy"],
        categories: ["all"],
        subresources: [
          {
            subresource: "scale",
            responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
            verbs: ["get", "patch", "update"],
          },
          {
            subresource: "status",
            responseKind: { group: "", version: "", kind: "Deployment" },
            verbs: ["get", "patch", "update"],
          },
        ],
      });
    },
  );

  it("has the core group under /api alone", () => {
    expect(read("/api", { accept: AGGREGATED }).items).toHaveLength(1);
    const names = read("/apis", { accept: AGGREGATED }).items.map(
      (item: { metadata: { name?: string } }) => item.metadata.name,
    );
    expect(names).not.toContain(undefined);
  });

  it.each(["application/yaml", PROTOBUF])("comes as %s too", async (type) => {
    const accept = AGGREGATED.replace("application/json", type);
    const { headers, body } = ask("/api", { accept })!;
    expect(headers["content-type"]).toBe(accept);
    const text = await new Response(body).text();
    expect(text).toContain("apidiscovery.k8s.io/v2");
    expect(text).toContain("ephemeralcontainers");
  });

  it("is not sent again to who has it", () => {
    const { etag } = ask("/apis", { accept: AGGREGATED })!.headers;
    expect(ask("/apis", { accept: AGGREGATED, "if-none-match": etag! })).toMatchObject({ code: 304, body: null });
  });
});

describe("refusals", () => {
  it.each([
    [
      "/apis",
      "application/xml",
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
    [
      "/apis/apps",
      AGGREGATED,
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
    [
      "/apis",
      AGGREGATED.replace("v=v2", "v=v9"),
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
    [
      "/api",
      "text/html",
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
  ])("%s for %s", (path, accept, message) => {
    expect(refusal(() => ask(path, { accept }))).toMatchObject({ code: 406, reason: "NotAcceptable", message });
  });

  it("other methods", () => {
    expect(refusal(() => ask("/api", {}, "OPTIONS"))).toMatchObject({ code: 405, reason: "MethodNotAllowed" });
  });

  it.each(["/apis", "/apis/apps"])("but %s has none", (path) => {
    expect(ask(path, {}, "DELETE")).toEqual(ask(path, {}, "GET"));
  });
});

it("/version is that of the release it follows", () => {
  expect(read("/version")).toMatchObject({ major: "1", minor: "36" });
  expect(read("/version").gitVersion).toMatch(/^v1\.36\.2\+hearth\.\d+\.\d+\.\d+/);
});
