import { describe, expect, it } from "vitest";
import { parseAddress } from "./request-head.ts";
import { parseRequestInfo } from "./request-info.ts";

const parse = (method: string, path: string) => parseRequestInfo(method, new URL(path, "https://api"));

describe("a path and a method say", () => {
  it.each([
    { name: "a list", method: "GET", path: "/api/v1/pods", want: { verb: "list", resource: "pods", namespace: "" } },
    { name: "a watch", method: "GET", path: "/api/v1/pods?watch=1", want: { verb: "watch" } },
    { name: "no watch for false", method: "GET", path: "/api/v1/pods?watch=false", want: { verb: "list" } },
    {
      name: "a namespaced object",
      method: "PUT",
      path: "/apis/apps/v1/namespaces/ns/deployments/d",
      want: { verb: "update", group: "apps", version: "v1", namespace: "ns", resource: "deployments", name: "d" },
    },
    {
      name: "a subresource",
      method: "POST",
      path: "/api/v1/namespaces/ns/pods/p/exec",
      want: { verb: "create", subresource: "exec", name: "p" },
    },
    {
      name: "a namespace, which is in itself",
      method: "GET",
      path: "/api/v1/namespaces/ns",
      want: { verb: "get", resource: "namespaces", namespace: "ns", name: "ns" },
    },
    {
      name: "a subresource of a namespace",
      method: "PUT",
      path: "/api/v1/namespaces/ns/finalize",
      want: { resource: "namespaces", subresource: "finalize", name: "ns" },
    },
    { name: "a collection's deletion", method: "DELETE", path: "/api/v1/nodes", want: { verb: "deletecollection" } },
    {
      name: "one name by a field selector",
      method: "GET",
      path: "/api/v1/namespaces/ns/secrets?fieldSelector=metadata.name%3Ds",
      want: { verb: "list", name: "s", fieldSelector: "metadata.name=s" },
    },
    {
      name: "a watch by its path",
      method: "GET",
      path: "/api/v1/watch/namespaces/ns/pods",
      want: { verb: "watch", watchByPath: true, resource: "pods" },
    },
    { name: "no resource", method: "GET", path: "/apis/apps/v1", want: { isResource: false, verb: "get" } },
    { name: "an escaped name", method: "GET", path: "/api/v1/nodes/a%20b", want: { name: "a b" } },
    {
      name: "an escaped slash as a slash",
      method: "GET",
      path: "/api/v1/nodes/a%2Fb",
      want: { name: "a", subresource: "b" },
    },
  ])("$name", ({ method, path, want }) => expect(parse(method, path)).toMatchObject(want));

  it("walks a long run of slashes once", () =>
    expect(parse("GET", `/api/v1/nodes/${"/".repeat(1_000_000)}a`)).toMatchObject({ resource: "nodes", name: "" }));

  it.each([
    { path: "/api/v1/namespaces/..", want: { resource: "namespaces", name: ".." } },
    { path: "/api/v1/namespaces/default/pods/%2e%2E", want: { resource: "pods", name: ".." } },
    { path: "/api/v1/namespaces/default/../kube-system", want: { resource: "..", name: "kube-system" } },
    { path: "/api/v1/./namespaces", want: { resource: ".", name: "namespaces" } },
  ])("dots as names: $path", ({ path, want }) =>
    expect(parseRequestInfo("DELETE", parseAddress(`https://api${path}`))).toMatchObject(want),
  );

  it.each(["/api/v1/watch", "/apis/apps/v1/watch/", "/api/v1/proxy"])("nothing, when %s ends too soon", (path) =>
    expect(parse("GET", path)).toBeUndefined(),
  );
});
