import { joinPath } from "./join-path.ts";

/** Between whom a page is passed on. */
export interface ProxiedPage {
  /** Where the proxied server begins, for the client: `/api/v1/namespaces/shop/services/web/proxy`. */
  prefix: string;
  /** The server's own `host:port`, as the proxy dialled it. */
  serverHost: string;
  /** The Host that the client asked. */
  requestHost: string;
}

/** RFC 3986, appendix B. Taken apart by hand: URL would also rewrite what is to stay as it is. */
const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s;

/**
 * A URL of a proxied page as the client must follow it: one with an absolute path on the same server leads through the
 * proxy; a relative one, and one of another host, stays.
 * @see k8s.io/apimachinery, util/proxy: Transport
 */
export function rewriteUrl(url: string, { prefix, serverHost, requestHost }: ProxiedPage): string {
  const [, scheme, host = "", path = "", rest = ""] = URL_PARTS.exec(url) ?? [];
  const isElsewhere = host !== "" && host !== serverHost && host !== requestHost;
  if (isElsewhere || !path.startsWith("/")) return url;
  const origin = host !== "" && host === requestHost ? `${scheme ? `${scheme}:` : ""}//${host}` : "";
  return origin + (path.startsWith(prefix) ? path : joinPath(prefix, path)) + rest;
}
