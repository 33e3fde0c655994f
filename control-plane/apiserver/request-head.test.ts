import { describe, expect, it } from "vitest";
import { atPath, PlainHeaders, parseAddress } from "./request-head.ts";

describe("parseAddress says what URL says", () => {
  it.each([
    "https://127.0.0.1:6443/api/v1/namespaces/default/pods/web-0",
    "https://127.0.0.1:6443/api/v1/namespaces/default/pods/web-0.17b2c",
    "https://api/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
    "https://api:443/api?a=b&a=c%20d&e",
    "https://api/api?",
    "https://api/",
    "https://api",
    "https://API/Api/v1",
    "https://api/api//v1/",
    "https://api/.hidden/...",
    "https://api/api/x..y/z.",
    "https://api/api/v1?x=1#part",
    "https://api/api/ü/é",
    "https://user:secret@api/api",
    "http://[::1]:6443/api/v1",
    "https://api/a\\b",
  ])("%s", (address) => {
    const { host, pathname, searchParams } = new URL(address);
    const parsed = parseAddress(address);
    expect(parsed.pathname).toBe(pathname);
    expect(parsed.host).toBe(host);
    expect([...parsed.searchParams]).toEqual([...searchParams]);
  });

  it.each([
    { address: "https://api/api/v1/../v2/./x?a=b", path: "/api/v1/../v2/./x" },
    { address: "https://api/api/%2e%2E/v2?a=b#c", path: "/api/%2e%2E/v2" },
    { address: "https://api/.hidden/..?a=b", path: "/.hidden/.." },
    { address: "https://api/a%20b/.%2e?a=b", path: "/a%20b/.%2e" },
  ])("but leaves dots where they are: $address", ({ address, path }) => {
    const { pathname, host, searchParams } = parseAddress(address);
    expect([pathname, host, searchParams.get("a")]).toEqual([path, "api", "b"]);
  });

  it("keeps all but the path when that is another", () => {
    const address = parseAddress("https://api:8443/clusters/a/api?x=1");
    const { host, pathname, prefix, searchParams } = atPath(address, "/api", "/clusters/a");
    expect([host, pathname, prefix]).toEqual(["api:8443", "/api", "/clusters/a"]);
    expect(searchParams.get("x")).toBe("1");
  });
});

describe("PlainHeaders", () => {
  const headers = new PlainHeaders(
    new Headers([
      ["Accept", "a"],
      ["accept", "b"],
      ["X-Y", "z"],
    ]),
  );

  it("finds names in any case, and joins lines", () => {
    expect([headers.get("Accept"), headers.get("x-y"), headers.get("none")]).toEqual(["a, b", "z", null]);
  });

  it("can be walked", () =>
    expect([...headers]).toEqual([
      ["accept", "a, b"],
      ["x-y", "z"],
    ]));
});
