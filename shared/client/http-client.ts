import type { KubeList, KubeObject } from "../api/object.ts";
import { ApiError, failure, type Status } from "../api/status.ts";
import type {
  ApiClient,
  ApiRequest,
  ApiResponse,
  ApiTransport,
  DeleteOptions,
  ListOptions,
  PatchTarget,
  PatchType,
  ResourceRef,
} from "./api-client.ts";

/** Items of one page of `listAll`; a reply stays in the low megabytes. */
const PAGE_ITEMS = 500;

export const PATCH_TYPES: Record<PatchType, string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** What names the writer where the server keeps field owners. */
export interface ClientOptions {
  fieldManager?: string;
  /** Does the same, save for applies, and needs no query. */
  userAgent?: string;
}

/** The API over any transport. Errors are ApiErrors rebuilt from the server's Status; a transport's own pass through. */
export function createApiClient(transport: ApiTransport, { fieldManager, userAgent }: ClientOptions = {}): ApiClient {
  const writeQuery: Record<string, string> = fieldManager ? { fieldManager } : {};

  async function send<T>(
    method: ApiRequest["method"],
    path: string,
    body?: { value: unknown; type?: string },
  ): Promise<T> {
    return readAnswer<T>(await transport(request(method, path, body)));
  }

  const request = (
    method: ApiRequest["method"],
    path: string,
    body: { value: unknown; type?: string } | undefined,
  ): ApiRequest => ({
    method,
    path,
    headers: {
      accept: "application/json",
      ...(userAgent ? { "user-agent": userAgent } : {}),
      ...(body ? { "content-type": body.type ?? "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body.value) } : {}),
  });

  const client: ApiClient = {
    get: (ref, name, namespace, subresource) => send("GET", objectPath(ref, { name, namespace, subresource })),
    read: (path) => send("GET", path),
    list: (ref, options = {}) => send("GET", collectionPath(ref, options.namespace, listQuery(options))),
    async listAll<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}) {
      let page = await client.list<T>(ref, { limit: PAGE_ITEMS, ...options });
      const whole: KubeList<T> = { ...page, items: [...page.items] };
      while (page.metadata.continue) {
        page = await client.list<T>(ref, { limit: PAGE_ITEMS, ...options, continue: page.metadata.continue });
        for (const item of page.items) whole.items.push(item);
      }
      return { ...whole, metadata: { resourceVersion: page.metadata.resourceVersion } };
    },
    create: (ref, object, subresource) =>
      send(
        "POST",
        subresource
          ? objectPath(ref, { ...subresource, namespace: object.metadata.namespace }, writeQuery)
          : collectionPath(ref, object.metadata.namespace, writeQuery),
        { value: subresource ? object : typed(ref, object) },
      ),
    async submit(ref, object) {
      const path = collectionPath(ref, object.metadata.namespace, writeQuery);
      const response = await transport({
        ...request("POST", path, { value: typed(ref, object) }),
        answersNobody: true,
      });
      const text = await textOf(response);
      if (response.status >= 300) throw new ApiError(statusOf(response.status, text));
    },
    update: (ref, object, subresource) =>
      send("PUT", objectPath(ref, { ...nameOf(object), subresource }, writeQuery), {
        value: subresource === "scale" ? object : typed(ref, object),
      }),
    patch: (ref, target, type, patch) =>
      send("PATCH", objectPath(ref, target, { ...writeQuery, ...patchQuery(target) }), {
        value: patch,
        type: PATCH_TYPES[type],
      }),
    async delete(ref, target, options) {
      await send("DELETE", objectPath(ref, target), deleteBody(options));
    },
    async deleteCollection(ref, options) {
      await send("DELETE", collectionPath(ref, options.namespace, listQuery(options)), deleteBody(options));
    },
  };
  return client;
}

const patchQuery = ({ fieldManager, force }: PatchTarget): Record<string, string> => ({
  ...(fieldManager === undefined ? {} : { fieldManager }),
  ...(force ? { force: "true" } : {}),
});

const nameOf = ({ metadata }: KubeObject) => ({ name: metadata.name, namespace: metadata.namespace });

const typed = <T extends KubeObject>({ group, version, kind }: ResourceRef, object: T): T => ({
  ...object,
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
});

/** The path of a resource's collection, in one namespace or in all. */
export function collectionPath(ref: ResourceRef, namespace?: string, query: Record<string, string> = {}): string {
  const { group, version, resource, namespaced } = ref;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${scope}/${resource}${printQuery(query)}`;
}

/** Most requests have none, and URLSearchParams are dear. */
function printQuery(query: Record<string, string>): string {
  for (const _ in query) return `?${new URLSearchParams(query)}`;
  return "";
}

function objectPath(
  ref: ResourceRef,
  { name, namespace, subresource }: { name: string; namespace?: string; subresource?: string },
  query: Record<string, string> = {},
): string {
  const path = `${collectionPath(ref, namespace)}/${encodeURIComponent(name)}`;
  return `${path}${subresource ? `/${subresource}` : ""}${printQuery(query)}`;
}

export function listQuery(options: ListOptions): Record<string, string> {
  const query: Record<string, string> = {};
  for (const name of ["labelSelector", "fieldSelector", "limit", "continue", "resourceVersion"] as const) {
    const value = options[name];
    if (value !== undefined && value !== "") query[name] = String(value);
  }
  return query;
}

function deleteBody(options: DeleteOptions | undefined): { value: unknown } | undefined {
  if (!options) return undefined;
  const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    value: {
      kind: "DeleteOptions",
      apiVersion: "v1",
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    },
  };
}

/** @throws ApiError with the server's Status, or one made of the code where the body is none */
export async function readAnswer<T>(response: ApiResponse): Promise<T> {
  const text = await textOf(response);
  if (response.status < 300) return JSON.parse(text) as T;
  throw new ApiError(statusOf(response.status, text));
}

/** Does not touch a body that is not needed: it may be made when asked for. */
const textOf = async (response: ApiResponse): Promise<string> =>
  response.text ?? (await new Response(response.body).text());

export function statusOf(code: number, text: string): Status {
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === "Status") return status;
  } catch {
    // Not an answer of the API itself: a proxy's page, say.
  }
  return failure(code, "", text.slice(0, 1_000) || `the server answered ${code}`).status;
}
