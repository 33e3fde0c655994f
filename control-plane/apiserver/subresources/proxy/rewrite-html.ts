import { type ProxiedPage, rewriteUrl } from "./rewrite-url.ts";

/** The attributes that hold URLs, by element (HTML 4.01 and 5, as upstream's proxy knows them). */
const URL_ATTRIBUTES: Record<string, readonly string[]> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** The compressions that upstream looks into; a page in another one goes on as it is. */
const COMPRESSIONS: Record<string, "gzip" | "deflate-raw"> = { gzip: "gzip", deflate: "deflate-raw" };

/**
 * A page whose links lead through the proxy, rewritten as it flows.
 * @param encoding the page's content-encoding, which the result has as well
 */
export function rewriteHtml(
  body: ReadableStream<Uint8Array>,
  encoding: string | null,
  page: ProxiedPage,
): ReadableStream<Uint8Array> {
  if (!encoding) return rewritten(body, page);
  const format = COMPRESSIONS[encoding];
  if (!format) return body;
  const plain = body.pipeThrough(new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>);
  return rewritten(plain, page).pipeThrough(new CompressionStream(format) as TransformStream<Uint8Array, Uint8Array>);
}

function rewritten(body: ReadableStream<Uint8Array>, page: ProxiedPage): ReadableStream<Uint8Array> {
  const rewriter = new HTMLRewriter();
  for (const [element, attributes] of Object.entries(URL_ATTRIBUTES)) {
    rewriter.on(element, {
      element(found) {
        for (const name of attributes) {
          const url = found.getAttribute(name);
          if (url === null) continue;
          const changed = rewriteUrl(url, page);
          if (changed !== url) found.setAttribute(name, changed);
        }
      },
    });
  }
  return rewriter.transform(new Response(body)).body as ReadableStream<Uint8Array>;
}
