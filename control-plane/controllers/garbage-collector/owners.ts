import type { KubeObject, OwnerReference } from "../../../shared/api/object.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { ApiReader, ResourceRef } from "../../../shared/client/api-client.ts";
import { findKind } from "../../../shared/schema/index.ts";
import { LruMap } from "../../runtime/index.ts";
import type { OwnerState } from "./decide.ts";
import { type GraphNode, isDeletingDependents, nodeOf } from "./graph.ts";

/** Owners remembered as there or as gone (upstream: 500 absent ones). */
const REMEMBERED_OWNERS = 2000;

/** The resource an owner reference names; undefined for a kind that is not built in. */
export function resourceOf({ apiVersion, kind }: OwnerReference): ResourceRef | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return findKind({ group, version: apiVersion.slice(slash + 1), kind });
}

/** Says of owners whether they are there: a uid never comes back, so that "absent" holds for ever. */
export class Owners {
  readonly #api: ApiReader;
  readonly #cached: (ref: ResourceRef, key: string) => KubeObject | undefined;
  readonly #known = new LruMap<string, "present" | "absent">(REMEMBERED_OWNERS);

  /** @param cached an object of the informers' caches, if its resource is cached */
  constructor(api: ApiReader, cached: (ref: ResourceRef, key: string) => KubeObject | undefined) {
    this.#api = api;
    this.#cached = cached;
  }

  wasDeleted(uid: string): void {
    this.#known.set(uid, "absent");
  }

  /** Without asking the API. */
  isKnown(dependent: GraphNode, owner: OwnerReference): boolean {
    if (this.#known.get(owner.uid) === "present") return true;
    const ref = resourceOf(owner);
    return ref !== undefined && this.#fromCache(ref, dependent, owner) !== undefined;
  }

  /**
   * From the caches; where they know nothing of it, from the API.
   * @throws Error for a kind that is not known: its dependents are left alone
   */
  async stateOf(dependent: GraphNode, owner: OwnerReference): Promise<OwnerState> {
    if (this.#known.get(owner.uid) === "absent") return "absent";
    const ref = resourceOf(owner);
    if (!ref) throw new Error(`no resource is known for ${owner.kind} in ${owner.apiVersion}`);
    // A cluster-scoped object cannot have an owner in a namespace (upstream: OwnerRefInvalidNamespace).
    if (ref.namespaced && !dependent.namespace) return "absent";
    const found = this.#fromCache(ref, dependent, owner) ?? (await this.#fromApi(ref, dependent, owner));
    if (!found) return "absent";
    return isDeletingDependents(nodeOf(ref, found)) ? "waiting" : "solid";
  }

  #fromCache(ref: ResourceRef, dependent: GraphNode, { name, uid }: OwnerReference): KubeObject | undefined {
    const object = this.#cached(ref, ref.namespaced ? `${dependent.namespace}/${name}` : name);
    return object?.metadata.uid === uid ? object : undefined;
  }

  async #fromApi(
    ref: ResourceRef,
    dependent: GraphNode,
    { name, uid }: OwnerReference,
  ): Promise<KubeObject | undefined> {
    const object = await this.#api.get(ref, name, ref.namespaced ? dependent.namespace : undefined).catch(orUndefined);
    const isSame = object?.metadata.uid === uid;
    this.#known.set(uid, isSame ? "present" : "absent");
    return isSame ? object : undefined;
  }
}

function orUndefined(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
