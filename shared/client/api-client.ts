import type { GroupVersionResource } from "../api/group-resource.ts";
import type { KubeList, KubeObject } from "../api/object.ts";

/** Names one resource for the client; constants for the built-in ones are in shared/api/resources.ts (generated facts). */
export type ResourceRef = GroupVersionResource & { kind: string; namespaced: boolean };

export interface ListOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
}

export interface DeleteOptions {
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: "Foreground" | "Background" | "Orphan";
}

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchTarget {
  name: string;
  namespace?: string;
  subresource?: string;
  /** Owns the fields in place of the client. */
  fieldManager?: string;
  /** An apply takes fields from those who own them. */
  force?: boolean;
}

/** Reads through the API. Errors are ApiErrors rebuilt from the server's Status. */
export interface ApiReader {
  get<T extends KubeObject = KubeObject>(
    ref: ResourceRef,
    name: string,
    namespace?: string,
    subresource?: "scale",
  ): Promise<T>;
  /** One page (see `continue`); `listAll` walks them. */
  list<T extends KubeObject = KubeObject>(ref: ResourceRef, options?: ListOptions): Promise<KubeList<T>>;
  listAll<T extends KubeObject = KubeObject>(ref: ResourceRef, options?: ListOptions): Promise<KubeList<T>>;
  /** What a path answers that is no resource's of a known kind: the metrics APIs have such. The answer is not checked. */
  read(path: string): Promise<unknown>;
}

/**
 * The API as a controller uses it: the same admission, validation and authorization as any client, under the
 * controller's own service account. Inside a Durable Object the calls stay in the isolate until they reach a store.
 */
export interface ApiClient extends ApiReader {
  create<T extends KubeObject = KubeObject>(ref: ResourceRef, object: T, subresource?: Subresource): Promise<T>;
  /** As `create`, for who needs no more of the answer than that it was accepted: events are many. */
  submit(ref: ResourceRef, object: KubeObject): Promise<void>;
  /** Sends the object whole (a Scale to "scale"); its resourceVersion is the precondition. */
  update<T extends KubeObject = KubeObject>(
    ref: ResourceRef,
    object: T,
    subresource?: "status" | "finalize" | "scale" | "approval",
  ): Promise<T>;
  patch<T extends KubeObject = KubeObject>(
    ref: ResourceRef,
    target: PatchTarget,
    type: PatchType,
    patch: unknown,
  ): Promise<T>;
  delete(ref: ResourceRef, target: { name: string; namespace?: string }, options?: DeleteOptions): Promise<void>;
  deleteCollection(ref: ResourceRef, options: ListOptions & DeleteOptions): Promise<void>;
}

/** `create` on a subresource of a named object, e.g. `pods/web-0/binding`. */
export interface Subresource {
  name: string;
  subresource: "binding" | "eviction" | "token";
}

/** One HTTP exchange with the API: in-process in a Durable Object, over the tunnel in the agent, fetch in tests. */
export type ApiTransport = (request: ApiRequest) => Promise<ApiResponse>;

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query: `/api/v1/pods?watch=true`. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The answer's body, but for an error's, is not looked at: a server in the same process need not make it. */
  answersNobody?: boolean;
  signal?: AbortSignal;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  /** The whole body, where it is there already: `body` need not be read then. */
  text?: string;
  /** Read once. Cancelling it ends the exchange (a watch, say). */
  body: ReadableStream<Uint8Array>;
}
