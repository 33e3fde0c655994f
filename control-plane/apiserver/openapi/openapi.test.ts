import { describe, expect, it } from "vitest";
import { RESOURCES } from "../../../shared/schema/index.ts";
import { serveOpenApi } from "./index.ts";

/** The name by which client-go asks, and the one in the answer. */
const PROTOBUF_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const PROTOBUF_ANSWERED = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  serveOpenApi({ method, url: new URL(`https://10.0.0.5:6443${path}`), headers: new Headers(headers) });

// biome-ignore lint/suspicious/noExplicitAny: documents are compared by their parts
const read = (path: string): any => JSON.parse(ask(path)?.body as string) as unknown;

describe("/openapi/v3", () => {
  it("lists a document for each group version, named by its hash", () => {
    const { paths } = read("/openapi/v3");
    const versions = new Set(RESOURCES.map(({ group, version }) => `${group}/${version}`));
    const documents = [...versions].map((version) => `apis/${version}`.replace("apis//", "api/"));
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(documents));
    // Beside them discovery, the version, and what tokens are verified by.
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(["api", "apis", "apis/apps", "version", "openid/v1/jwks"]),
    );
    for (const path of Object.keys(paths)) expect(ask(`/openapi/v3/${path}`)?.code, path).toBe(200);
    expect(paths["apis/apps/v1"].serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{64}$/);
  });

  it("tells the values of enums, and what upstream calls defaults", () => {
    const { schemas } = read("/openapi/v3/api/v1").components;
    const { properties } = schemas["io.k8s.api.core.v1.Container"];
    expect(properties.imagePullPolicy.enum).toEqual(["Always", "IfNotPresent", "Never"]);
    expect(properties.name.default).toBe("");
    expect(properties.resources).toMatchObject({ default: {}, allOf: [{ $ref: expect.any(String) }] });
    expect(properties.terminationMessagePath).not.toHaveProperty("default");
    expect(schemas["io.k8s.api.core.v1.ServicePort"].properties).toMatchObject({
      protocol: { default: "TCP", enum: ["SCTP", "TCP", "UDP"] },
      port: { default: 0 },
    });
    expect(schemas["io.k8s.api.core.v1.ServiceSpec"].properties.ipFamilies.items.enum).toEqual(["", "IPv4", "IPv6"]);
  });

  it("reads whatever the method is", () => {
    expect(ask("/openapi/v3", {}, "DELETE")).toEqual(ask("/openapi/v3"));
  });

  it("lets clients keep a document that is named by its hash", () => {
    const url = read("/openapi/v3").paths["apis/batch/v1"].serverRelativeURL;
    expect(ask(url)?.headers).toMatchObject({ "cache-control": "public, immutable" });
    expect(ask("/openapi/v3/apis/batch/v1")?.headers).not.toHaveProperty("cache-control");
    expect(ask("/openapi/v3/apis/batch/v1?hash=OLD")).toMatchObject({ code: 301, headers: { location: url } });
  });

  it("has what kubectl explain and apply look for", () => {
    const { openapi, info, paths, components } = read("/openapi/v3/apis/apps/v1");
    expect({ openapi, info }).toEqual({ openapi: "3.0.0", info: { title: "Kubernetes", version: "1.36" } });
    const deployment = components.schemas["io.k8s.api.apps.v1.Deployment"];
    expect(deployment["x-kubernetes-group-version-kind"]).toEqual([
      { group: "apps", version: "v1", kind: "Deployment" },
    ]);
    expect(deployment.description).toMatch(/^Deployment enables declarative updates/);
    const { patch } = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
    expect(patch).toMatchObject({ "x-kubernetes-action": "patch", operationId: "patchAppsV1NamespacedDeployment" });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain("fieldValidation");
    expect(Object.keys(patch.requestBody.content)).toContain("application/apply-patch+yaml");
    const { containers } = components.schemas["io.k8s.api.core.v1.PodSpec"].properties;
    expect(containers).toMatchObject({
      type: "array",
      items: { $ref: "#/components/schemas/io.k8s.api.core.v1.Container" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    });
    expect(components.schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
  });

  it.each([...new Set(RESOURCES.map(({ group, version }) => (group ? `apis/${group}/${version}` : `api/${version}`)))])(
    "%s holds all that it refers to",
    (path) => {
      const text = ask(`/openapi/v3/${path}`)?.body as string;
      const { components } = JSON.parse(text);
      for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        expect(components.schemas[name!], name).toBeDefined();
      }
    },
  );

  it("gives an empty 404 for a version that is not served", () => {
    expect(ask("/openapi/v3/apis/nope/v1")).toMatchObject({ code: 404, body: null });
  });
});

describe("paths", () => {
  const { paths } = read("/openapi/v2");

  it.each([
    { path: "/api/v1/watch/pods", id: "watchCoreV1PodListForAllNamespaces", action: "watchlist" },
    { path: "/api/v1/watch/namespaces/{namespace}/pods", id: "watchCoreV1NamespacedPodList", action: "watchlist" },
    { path: "/api/v1/watch/namespaces/{namespace}/pods/{name}", id: "watchCoreV1NamespacedPod", action: "watch" },
    { path: "/api/v1/watch/nodes", id: "watchCoreV1NodeList", action: "watchlist" },
    { path: "/api/v1/watch/namespaces/{name}", id: "watchCoreV1Namespace", action: "watch" },
    { path: "/apis/apps/v1/watch/deployments", id: "watchAppsV1DeploymentListForAllNamespaces", action: "watchlist" },
  ])("$path, though deprecated", ({ path, id, action }) => {
    expect(paths[path].get).toMatchObject({ operationId: id, "x-kubernetes-action": action });
    expect(paths[path].get.responses[200].schema.$ref).toMatch(/meta\.v1\.WatchEvent$/);
    expect(paths[path].get.description).toContain("deprecated: use the 'watch' parameter");
  });

  it.each([
    { path: "/api/", id: "getCoreAPIVersions", response: "APIVersions" },
    { path: "/api/v1/", id: "getCoreV1APIResources", response: "APIResourceList" },
    { path: "/apis/", id: "getAPIVersions", response: "APIGroupList" },
    { path: "/apis/rbac.authorization.k8s.io/", id: "getRbacAuthorizationAPIGroup", response: "APIGroup" },
    { path: "/apis/apps/v1/", id: "getAppsV1APIResources", response: "APIResourceList" },
    { path: "/version/", id: "getCodeVersion", response: "Info" },
  ])("$path", ({ path, id, response }) => {
    expect(paths[path].get.operationId).toBe(id);
    expect(paths[path].get.responses[200].schema.$ref).toMatch(new RegExp(`\\.${response}$`));
    expect(paths[path].get).not.toHaveProperty("x-kubernetes-action");
  });

  it("tell what all their operations take once", () => {
    const pod = paths["/api/v1/namespaces/{namespace}/pods/{name}"];
    const namesOf = (parameters: { name: string }[]) => parameters.map(({ name }) => name);
    expect(namesOf(pod.parameters)).toEqual(["name", "namespace", "pretty"]);
    expect(namesOf(pod.patch.parameters)).not.toContain("name");
    expect(namesOf(pod.patch.parameters)).toContain("fieldValidation");
    expect(pod.get).not.toHaveProperty("parameters");
  });

  it("take and give protobuf", () => {
    const { get, post } = paths["/api/v1/namespaces/{namespace}/pods"];
    expect(post.produces).toContain("application/vnd.kubernetes.protobuf");
    expect(get.produces).toContain("application/vnd.kubernetes.protobuf;stream=watch");
  });
});

describe("/openapi/v2", () => {
  it("has every resource in one piece", () => {
    const { swagger, paths, definitions } = read("/openapi/v2");
    expect(swagger).toBe("2.0");
    expect(paths["/api/v1/namespaces/{namespace}/pods"].post.parameters[0]).toMatchObject({
      in: "body",
      schema: { $ref: "#/definitions/io.k8s.api.core.v1.Pod" },
    });
    for (const { schema } of RESOURCES) expect(definitions[schema], schema).toBeDefined();
  });
});

describe("requests", () => {
  it("gets 304 for the same ETag", () => {
    const { etag } = ask("/openapi/v2")!.headers;
    expect(ask("/openapi/v2", { "if-none-match": etag! })).toMatchObject({ code: 304, body: null });
  });

  it.each([
    { accept: PROTOBUF_ASKED, type: PROTOBUF_ANSWERED },
    { accept: PROTOBUF_ANSWERED, type: PROTOBUF_ANSWERED },
    { accept: `application/json, ${PROTOBUF_ASKED}`, type: "application/json" },
    { accept: `application/json;q=0.5, ${PROTOBUF_ASKED}`, type: PROTOBUF_ANSWERED },
    { accept: "text/html, */*", type: "application/json" },
    { accept: "application/*", type: "application/json" },
    { accept: "", type: "application/json" },
  ])("$accept of Swagger 2.0 is answered as $type", ({ accept, type }) => {
    expect(ask("/openapi/v2", { accept })).toMatchObject({
      code: 200,
      headers: { "content-type": type, vary: "Accept-Encoding, Accept", etag: ask("/openapi/v2")!.headers["etag"] },
    });
  });

  it("Swagger 2.0 in protobuf begins with its version", async () => {
    const { body } = ask("/openapi/v2", { accept: PROTOBUF_ASKED })!;
    expect((await new Response(body).text()).slice(0, 5)).toBe("\n\x032.0");
  });

  it.each([
    { path: "/openapi/v2", accept: "text/html" },
    { path: "/openapi/v2", accept: "application/yaml" },
    { path: "/openapi/v3/api/v1", accept: PROTOBUF_ASKED },
  ])("there is no $accept of $path", ({ path, accept }) => {
    expect(ask(path, { accept })).toMatchObject({ code: 406, body: null });
  });

  it("leaves other paths alone", () => {
    expect(ask("/openapi")).toBeUndefined();
    expect(ask("/openapi/v3x")).toBeUndefined();
  });
});
