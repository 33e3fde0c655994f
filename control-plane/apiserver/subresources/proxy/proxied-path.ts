import { pathNotFound } from "../../../../shared/api/status.ts";
import { parseAddress } from "../../request-head.ts";
import { joinPath } from "./join-path.ts";

/** Up to the subresource; before it the prefix of a cluster that is served by its path may stand. */
const PROXY_PREFIX =
  /^((?:\/clusters\/[^/]+)?\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:pods|services|nodes)\/[^/]+\/proxy)(?:\/(.*))?$/;

export interface ProxiedPath {
  /** As the client wrote it: `/api/v1/namespaces/shop/services/web/proxy`. */
  prefix: string;
  /** What the server behind it is asked for, escaped; empty when there is not even a slash after the prefix. */
  path: string;
}

/**
 * Which path of a proxied server a request is for: cleaned of double slashes and dot segments, a slash at its end kept,
 * escapes of characters that need none undone (an escaped slash parts as any other).
 * @param address the request's URL
 * @throws ApiError 404 for the path of no proxy
 */
export function proxiedPath(address: string): ProxiedPath {
  const { pathname } = parseAddress(address);
  const [, prefix, rest] = PROXY_PREFIX.exec(pathname) ?? [];
  if (prefix === undefined) throw pathNotFound();
  return { prefix, path: rest === undefined ? "" : escapePath(joinPath(`/${decoded(rest)}`)) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Go's net/url escapes in a path all but letters, digits and these. */
const escapePath = (path: string): string =>
  encodeURIComponent(path)
    .replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
