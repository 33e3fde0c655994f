import type { KubeObject } from "../../../shared/api/object.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import type { SimApi } from "../sim-api.ts";

/** A typical piece of work of some controllers: the user acts, everybody comes to rest, the user acts again. */
export interface Story {
  name: string;
  /** Those that it is about, by their names; each of them writes something. */
  of: string[];
  /** Those that run beside them. */
  beside?: string[];
  acts: ((api: SimApi) => Promise<unknown>)[];
  /** Between two acts (ms); by default longer than an evicted object sleeps. */
  restMs?: number;
  /** What is known of the end, so that a story in which nothing happens does not pass. */
  end(api: SimApi): void;
  /** What holds in every end, whatever went wrong. */
  always?(api: SimApi): void;
  isAboutEvents?: boolean;
  /** Its writes are Events: they count as such, and one may be lost with whoever tells it, as with upstream. */
  tellsEvents?: boolean;
  /** What of the end depends on whether somebody saw what was on the way, with upstream too. */
  vague?: RegExp;
  /** Writes that a single life makes when all is well, at least. */
  writes: number;
  /** When each node showed life last (epoch ms). */
  renewedMs?: (node: string) => number | undefined;
  /** What paths of no resource answer. */
  answer?: (path: string) => unknown;
}

export const create = (ref: ResourceRef, object: KubeObject) => (api: SimApi) =>
  api.create(ref, structuredClone(object));

export const createAll =
  (...objects: [ResourceRef, KubeObject][]) =>
  async (api: SimApi) => {
    for (const [ref, object] of objects) await api.create(ref, structuredClone(object));
  };

/** Of an object in `default`, or of one without a namespace. */
export const change = (ref: ResourceRef, name: string, patch: unknown) => (api: SimApi) =>
  api.patch(ref, { name, ...(ref.namespaced && { namespace: "default" }) }, "merge", patch);

export const remove =
  (ref: ResourceRef, name: string, propagationPolicy: "Foreground" | "Background" | "Orphan" = "Background") =>
  (api: SimApi) =>
    api.delete(ref, { name, ...(ref.namespaced && { namespace: "default" }) }, { propagationPolicy });
