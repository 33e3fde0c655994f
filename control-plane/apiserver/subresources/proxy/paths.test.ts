import { describe, expect, it } from "vitest";
import { answerHeaders, requestHeaders } from "./headers.ts";
import { proxiedPath } from "./proxied-path.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import { rewriteUrl } from "./rewrite-url.ts";
import { splitSchemeNamePort } from "./scheme-name-port.ts";

const PREFIX = "/api/v1/namespaces/shop/services/web/proxy";
const PAGE = { prefix: PREFIX, serverHost: "10.0.0.1:80", requestHost: "127.0.0.1:8001" };

describe("a proxied name", () => {
  it.each([
    { id: "web", want: { scheme: "", name: "web", port: "" } },
    { id: "web:http", want: { scheme: "", name: "web", port: "http" } },
    { id: "web:", want: { scheme: "", name: "web", port: "" } },
    { id: "https:web:", want: { scheme: "https", name: "web", port: "" } },
    { id: ":web:80", want: { scheme: "", name: "web", port: "80" } },
    { id: "ftp:web:80", want: undefined },
    { id: "a:b:c:d", want: undefined },
    { id: ":", want: undefined },
    { id: "", want: undefined },
  ])("$id", ({ id, want }) => expect(splitSchemeNamePort(id)).toEqual(want));
});

describe("the path on the server", () => {
  it.each([
    { asked: "", want: "" },
    { asked: "/", want: "/" },
    { asked: "/a/b", want: "/a/b" },
    { asked: "/a/b/", want: "/a/b/" },
    { asked: "//", want: "/" },
    { asked: "/a//b/./c", want: "/a/b/c" },
    { asked: "/../../b", want: "/b" },
    { asked: "/%2e%2e/b", want: "/b" },
    { asked: "/a%20b%2Fc", want: "/a%20b/c" },
    { asked: "/a%3Fb", want: "/a%3Fb" },
    { asked: "/a&b=c+d,e;f:g@h$i", want: "/a&b=c+d,e;f:g@h$i" },
    { asked: "/a(b)c!d*e'f", want: "/a%28b%29c%21d%2Ae%27f" },
    { asked: "/proxy/proxy", want: "/proxy/proxy" },
    { asked: "/%zz", want: "/%25zz" },
  ])("of proxy$asked is '$want'", ({ asked, want }) => {
    expect(proxiedPath(`https://api${PREFIX}${asked}?q=/x`)).toEqual({ prefix: PREFIX, path: want });
  });

  it.each([
    { prefix: "/clusters/blue/api/v1/namespaces/services/services/proxy/proxy" },
    { prefix: "/api/v1/nodes/https:n1:443/proxy" },
    { prefix: "/api/v1/namespaces/pods/pods/http%3Aproxy%3A80/proxy" },
  ])("begins after $prefix", ({ prefix }) =>
    expect(proxiedPath(`http://api${prefix}/proxy/x`)).toEqual({ prefix, path: "/proxy/x" }),
  );

  it("is none elsewhere", () => expect(() => proxiedPath("http://api/api/v1/pods")).toThrow());
});

describe("a link", () => {
  it.each([
    { url: "/x", want: `${PREFIX}/x` },
    { url: "/x/?a=/b#c", want: `${PREFIX}/x/?a=/b#c` },
    { url: "/", want: `${PREFIX}/` },
    { url: "/a/../b", want: `${PREFIX}/b` },
    { url: "http://10.0.0.1:80/x", want: `${PREFIX}/x` },
    { url: "https://127.0.0.1:8001/x", want: `https://127.0.0.1:8001${PREFIX}/x` },
    { url: `${PREFIX}/x`, want: `${PREFIX}/x` },
    { url: "x/y", want: "x/y" },
    { url: "../y", want: "../y" },
    { url: "#top", want: "#top" },
    { url: "http://10.0.0.1:80", want: "http://10.0.0.1:80" },
    { url: "http://elsewhere/x", want: "http://elsewhere/x" },
    { url: "//elsewhere/x", want: "//elsewhere/x" },
    { url: "mailto:a@b", want: "mailto:a@b" },
    { url: "", want: "" },
  ])("to '$url' leads to '$want'", ({ url, want }) => expect(rewriteUrl(url, PAGE)).toBe(want));
});

describe("a page", () => {
  const page = `<body background="/bg"><a href="/a?x=1&amp;y=2">/a</a><a href='rel'>r</a><img src=/i longdesc="/l">
<form action="/f/"></form><p title="/no">t</p><script>if (a<b) "/no"</script></body>`;
  const want = `<body background="${PREFIX}/bg"><a href="${PREFIX}/a?x=1&amp;y=2">/a</a><a href='rel'>r</a><img src="${PREFIX}/i" longdesc="${PREFIX}/l">
<form action="${PREFIX}/f/"></form><p title="/no">t</p><script>if (a<b) "/no"</script></body>`;
  const streamOf = (text: string) => new Response(text).body as ReadableStream<Uint8Array>;
  const packed = (body: ReadableStream<Uint8Array>, format: "gzip" | "deflate-raw") =>
    body.pipeThrough(new CompressionStream(format) as TransformStream<Uint8Array, Uint8Array>);

  it("has its links rewritten, and nothing else", async () =>
    expect(await new Response(rewriteHtml(streamOf(page), null, PAGE)).text()).toBe(want));

  it.each([
    { encoding: "gzip", format: "gzip" },
    { encoding: "deflate", format: "deflate-raw" },
  ] as const)("stays in $encoding", async ({ encoding, format }) => {
    const body = rewriteHtml(packed(streamOf(page), format), encoding, PAGE);
    const plain = body.pipeThrough(new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>);
    expect(await new Response(plain).text()).toBe(want);
  });

  it("in an unknown encoding goes on as it is", async () =>
    expect(await new Response(rewriteHtml(streamOf("\u0001/x"), "br", PAGE)).text()).toBe("\u0001/x"));

  it("flows as it comes", async () => {
    let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        sender = controller;
      },
    });
    const reader = rewriteHtml(body, null, PAGE).getReader();
    sender?.enqueue(new TextEncoder().encode('<a href="/x">one</a>'));
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toContain(`href="${PREFIX}/x"`);
    sender?.close();
  });
});

describe("headers", () => {
  const names = (headers: Headers) => [...headers.keys()].sort();

  it("of a request: no credential of ours, nothing of the hop", () => {
    const headers = new Headers({
      authorization: "Bearer x",
      "impersonate-user": "jane",
      "x-remote-user": "jane",
      "x-hearth-target": "{}",
      "proxy-authorization": "x",
      te: "trailers",
      cookie: "a=b",
      "content-type": "text/plain",
      "x-own": "1",
    });
    expect(names(requestHeaders({ method: "POST", headers }))).toEqual(["content-type", "cookie", "x-own"]);
    expect(names(requestHeaders({ method: "GET", headers }))).toEqual(["cookie", "x-own"]);
  });

  it.each([
    { upgrade: "WebSocket", want: "websocket" },
    { upgrade: "h2c", want: null },
  ])("of a request to upgrade to $upgrade: $want", ({ upgrade, want }) => {
    const headers = new Headers({ upgrade });
    expect(requestHeaders({ method: "GET", headers }).get("upgrade")).toBe(want);
  });

  it("of an answer: nothing that opens our API to scripts of other origins", () =>
    expect(names(answerHeaders(new Headers({ "access-control-allow-origin": "*", etag: "x" })))).toEqual(["etag"]));
});
