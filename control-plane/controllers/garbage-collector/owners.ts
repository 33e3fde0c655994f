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

/** An object as an owner reference means it. Which version of its group is named makes no difference. */
const identityOf = (
  { group, kind, namespaced }: ResourceRef,
  { name, namespace, uid }: { name: string; namespace?: string; uid?: string },
): string => JSON.stringify([group, kind, namespaced ? namespace : "", name, uid]);

/** The caches of those resources that are cached. */
export interface CachedObjects {
  get(ref: ResourceRef, key: string): KubeObject | undefined;
  list(ref: ResourceRef): KubeObject[];
}

/**
 * Says of owners whether they are there: a uid never comes back, so that "absent" holds for ever. It holds for a kind,
 * a name and a namespace: who names the right uid with a wrong kind proves nothing about those that name it right.
 */
export class Owners {
  readonly #api: ApiReader;
  readonly #cached: CachedObjects;
  readonly #known = new LruMap<string, "present" | "absent">(REMEMBERED_OWNERS);

  constructor(api: ApiReader, cached: CachedObjects) {
    this.#api = api;
    this.#cached = cached;
  }

  wasDeleted(ref: ResourceRef, { metadata }: KubeObject): void {
    this.#known.set(identityOf(ref, metadata), "absent");
  }

  /** Without asking the API. */
  isKnown(dependent: GraphNode, owner: OwnerReference): boolean {
    const ref = resourceOf(owner);
    if (!ref) return false;
    if (this.#known.get(identityOf(ref, { ...owner, namespace: dependent.namespace })) === "present") return true;
    return this.#fromCache(ref, dependent, owner) !== undefined;
  }

  /**
   * From the caches; where they know nothing of it, from the API.
   * @throws Error for a kind that is not known: its dependents are left alone
   */
  async stateOf(dependent: GraphNode, owner: OwnerReference): Promise<OwnerState> {
    const ref = resourceOf(owner);
    if (!ref) throw new Error(`no resource is known for ${owner.kind} in ${owner.apiVersion}`);
    const identity = identityOf(ref, { ...owner, namespace: dependent.namespace });
    if (this.#known.get(identity) === "absent") return "absent";
    // A cluster-scoped object cannot have an owner in a namespace: that is a mistake, and nothing is deleted for it.
    if (ref.namespaced && !dependent.namespace) return "impossible";
    const found = this.#fromCache(ref, dependent, owner) ?? (await this.#fromApi(ref, dependent, owner));
    if (!found) return "absent";
    return isDeletingDependents(nodeOf(ref, found)) ? "waiting" : "solid";
  }

  /** Whether an owner that is not beside its dependent is in another namespace, where it cannot own it. */
  isElsewhere(dependent: GraphNode, owner: OwnerReference): boolean {
    const ref = resourceOf(owner);
    if (!ref?.namespaced) return false;
    return this.#cached
      .list(ref)
      .some(({ metadata: { uid, namespace } }) => uid === owner.uid && namespace !== dependent.namespace);
  }

  #fromCache(ref: ResourceRef, dependent: GraphNode, { name, uid }: OwnerReference): KubeObject | undefined {
    const object = this.#cached.get(ref, ref.namespaced ? `${dependent.namespace}/${name}` : name);
    return object?.metadata.uid === uid ? object : undefined;
  }

  async #fromApi(
    ref: ResourceRef,
    dependent: GraphNode,
    { name, uid }: OwnerReference,
  ): Promise<KubeObject | undefined> {
    const object = await this.#api.get(ref, name, ref.namespaced ? dependent.namespace : undefined).catch(orUndefined);
    const isSame = object?.metadata.uid === uid;
    const identity = identityOf(ref, { name, uid, namespace: dependent.namespace });
    this.#known.set(identity, isSame ? "present" : "absent");
    return isSame ? object : undefined;
  }
}

function orUndefined(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
