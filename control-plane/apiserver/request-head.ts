/**
 * What the chain reads of a request's head. URL and Headers have it too, but each look into those crosses into the
 * runtime and makes objects; together that cost a read of one object more than the read.
 */
export interface CallUrl {
  readonly host: string;
  readonly pathname: string;
  /** What stands before `pathname` in the address of a cluster that is served by its path: `/clusters/blue`. */
  readonly prefix?: string;
  /** Shared: change none. */
  readonly searchParams: URLSearchParams;
}

/** Names in any case for `get`, in lower case when iterated; lines of one name are joined by a comma. */
export interface CallHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
}

/** An address whose path parsing would leave as it is, save for dot segments. */
const PLAIN_ADDRESS = /^https?:\/\/[a-z0-9.:-]+(\/[\w./:~-]*)(\?[^#]*)?$/;
/** Where a dot segment begins, if there is one. */
const DOT_SEGMENT = "/.";
/** A segment of dots, escaped or not: URL would resolve it. To Kubernetes it is a name, and a wrong one. */
const HAS_DOT_SEGMENT = /(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/i;
const RAW_PATH = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i;
const NO_QUERY = new URLSearchParams();

/**
 * What URL says of an address, but for dot segments in its path, which stay: `DELETE /api/v1/namespaces/a/pods/..` must
 * delete no namespace.
 * @param address absolute, as a Request has it
 */
export function parseAddress(address: string): CallUrl {
  const plain = PLAIN_ADDRESS.exec(address);
  if (plain && !plain[1]!.includes(DOT_SEGMENT)) return new PlainUrl(address, plain[1]!, plain[2] ?? "");
  const url = new URL(address);
  const path = RAW_PATH.exec(address)?.[1] ?? "";
  return HAS_DOT_SEGMENT.test(path) ? atPath(url, path) : url;
}

/** The same request, to another path. `prefix`: what was before it. */
export function atPath(url: CallUrl, pathname: string, prefix?: string): CallUrl {
  return {
    get host() {
      return url.host;
    },
    get searchParams() {
      return url.searchParams;
    },
    pathname,
    prefix,
  };
}

class PlainUrl implements CallUrl {
  readonly pathname: string;
  readonly #address: string;
  readonly #search: string;
  #query: URLSearchParams | undefined;

  constructor(address: string, pathname: string, search: string) {
    this.#address = address;
    this.pathname = pathname;
    this.#search = search;
  }

  get host(): string {
    return new URL(this.#address).host;
  }

  get searchParams(): URLSearchParams {
    this.#query ??= this.#search === "" ? NO_QUERY : new URLSearchParams(this.#search);
    return this.#query;
  }
}

/** Headers read once into plain memory. */
export class PlainHeaders implements CallHeaders {
  readonly #values: Map<string, string>;

  /** @param lines names in lower case */
  constructor(lines: Iterable<readonly [string, string]>) {
    this.#values = new Map(lines);
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#values[Symbol.iterator]();
  }
}
