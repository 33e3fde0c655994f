import { describe, expect, it } from "vitest";
import { parseAddress } from "../request-head.ts";
import { parseRequestInfo } from "../request-info.ts";
import { testApi } from "../testing/api.ts";
import { labelsOf } from "./request-labels.ts";
import { MAX_SERIES, RequestMetrics } from "./request-metrics.ts";

const labelsFor = (method: string, path: string) => {
  const url = parseAddress(`https://api${path}`);
  return labelsOf(method, url.searchParams, parseRequestInfo(method, url));
};

describe("labels", () => {
  const PODS = { group: "", version: "v1", resource: "pods", subresource: "", dryRun: "" };
  const NONE = { group: "", version: "", resource: "", subresource: "", scope: "", dryRun: "" };

  it.each([
    { method: "GET", path: "/api/v1/namespaces/a/pods/b", want: { ...PODS, verb: "GET", scope: "resource" } },
    { method: "GET", path: "/api/v1/namespaces/a/pods", want: { ...PODS, verb: "LIST", scope: "namespace" } },
    { method: "GET", path: "/api/v1/pods", want: { ...PODS, verb: "LIST", scope: "cluster" } },
    { method: "GET", path: "/api/v1/pods?watch=1", want: { ...PODS, verb: "WATCH", scope: "cluster" } },
    {
      method: "POST",
      path: "/api/v1/namespaces/a/pods?dryRun=All",
      want: { ...PODS, verb: "POST", scope: "resource", dryRun: "All" },
    },
    {
      method: "DELETE",
      path: "/api/v1/namespaces/a/pods",
      want: { ...PODS, verb: "DELETECOLLECTION", scope: "namespace" },
    },
    {
      method: "PATCH",
      path: "/api/v1/namespaces/a/pods/b/status",
      want: { ...PODS, verb: "PATCH", subresource: "status", scope: "resource" },
    },
    {
      method: "GET",
      path: "/api/v1/namespaces/a/pods/b/log",
      want: { ...PODS, verb: "CONNECT", subresource: "log", scope: "resource" },
    },
    { method: "GET", path: "/version", want: { ...NONE, verb: "GET", subresource: "/version" } },
    // Whatever a client may make up is one and the same.
    { method: "GET", path: "/made/up", want: { ...NONE, verb: "GET" } },
    { method: "GET", path: "/apis/made/v1/up", want: { ...NONE, verb: "GET" } },
    { method: "MADEUP", path: "/version", want: { ...NONE, verb: "other", subresource: "/version" } },
    { method: "MADEUP", path: "/api/v1/pods", want: { ...PODS, verb: "other", scope: "cluster" } },
    { method: "GET", path: "/api/v1/namespaces/a/pods/b/made", want: { ...PODS, verb: "GET", scope: "resource" } },
  ])("$method $path", ({ method, path, want }) => expect(labelsFor(method, path)).toEqual(want));
});

describe("request metrics", () => {
  const LIST = labelsFor("GET", "/api/v1/pods");

  it.each([
    { seconds: 0, bound: "0.005" },
    { seconds: 0.005, bound: "0.005" },
    { seconds: 0.0051, bound: "0.025" },
    { seconds: 60, bound: "60" },
    { seconds: 61, bound: "+Inf" },
  ])("$seconds s count up to $bound", ({ seconds, bound }) => {
    const metrics = new RequestMetrics(0);
    metrics.observe(LIST, 200, seconds);
    const [series] = metrics.durations;
    const lines = series!.seconds.render("took", {});
    expect(lines.find((line) => line.endsWith("} 1"))).toBe(`took_bucket{le="${bound}"} 1`);
    expect(lines).toContain(`took_sum ${seconds}`);
  });

  it("counts by code, and times all codes together", () => {
    const metrics = new RequestMetrics(0);
    for (const code of [200, 200, 404]) metrics.observe(LIST, code, 0.1);
    expect([...metrics.counts].map(({ code, count }) => [code, count])).toEqual([
      [200, 2],
      [404, 1],
    ]);
    expect([...metrics.durations].map(({ seconds }) => seconds.render("took", {}).at(-1))).toEqual(["took_count 3"]);
  });

  it("does not time what goes on as long as a client likes", () => {
    const metrics = new RequestMetrics(0);
    metrics.observe(labelsFor("GET", "/api/v1/pods?watch=1"), 200, 5);
    expect([...metrics.counts]).toHaveLength(1);
    expect([...metrics.durations]).toEqual([]);
  });

  it("keeps so many series and no more", () => {
    const metrics = new RequestMetrics(0);
    for (let code = 0; code < MAX_SERIES + 10; code++) metrics.observe(LIST, code, 0);
    expect([...metrics.counts]).toHaveLength(MAX_SERIES);
    metrics.observe(LIST, 0, 0);
    expect([...metrics.counts][0]!.count).toBe(2);
  });
});

describe("/metrics", () => {
  it("tells what was asked, and what is stored, of one's own cluster alone", async () => {
    const api = testApi();
    await testApi().get("/api/v1/namespaces/of-another-cluster");
    await api.post("/api/v1/namespaces", { metadata: { name: "a" } });
    await api.post("/api/v1/namespaces/a/configmaps", { metadata: { name: "b" } });
    await api.get("/api/v1/namespaces/a/configmaps/none");
    const response = await api.fetch("GET", "/metrics");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await response.text()).split("\n");
    const configMaps = 'group="",resource="configmaps",scope="resource",subresource=""';
    expect(lines).toEqual(
      expect.arrayContaining([
        'apiserver_current_inflight_requests{request_kind="mutating"} 0',
        'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
        `apiserver_request_total{code="201",component="apiserver",dry_run="",${configMaps},verb="POST",version="v1"} 1`,
        `apiserver_request_total{code="404",component="apiserver",dry_run="",${configMaps},verb="GET",version="v1"} 1`,
        `apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",${configMaps},verb="GET",version="v1",le="+Inf"} 1`,
        `apiserver_request_duration_seconds_count{component="apiserver",dry_run="",${configMaps},verb="GET",version="v1"} 1`,
        'apiserver_storage_objects{resource="configmaps"} 1',
        'apiserver_storage_objects{resource="deployments.apps"} 0',
        'apiserver_resource_objects{group="",resource="namespaces"} 1',
      ]),
    );
    expect(
      lines.filter((line) => line.includes('resource="namespaces",scope="resource"') && line.includes("404")),
    ).toEqual([]);
    const isSample = /^[a-z_]+(\{([a-z_]+="(\\.|[^"\\\n])*",?)*\})? [0-9.e+-]+$/;
    expect(lines.filter((line) => line !== "" && !line.startsWith("# ") && !isSample.test(line))).toEqual([]);
    const typed = new Set(lines.filter((line) => line.startsWith("# TYPE ")).map((line) => line.split(" ")[2]!));
    const names = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.replace(/[{ ].*/, ""));
    expect(names.filter((name) => !typed.has(name.replace(/_(bucket|sum|count)$/, "")) && !typed.has(name))).toEqual(
      [],
    );
  });

  it("takes the right to read it", async () => {
    const nobody = testApi(undefined, { username: "jane", groups: ["system:authenticated"] });
    expect((await nobody.get("/metrics")).code).toBe(403);
  });
});
