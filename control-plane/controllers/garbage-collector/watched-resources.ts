import { printGroupResource } from "../../../shared/api/group-resource.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";
import type { Notes } from "../../runtime/index.ts";

/** Beside each: its ResourceRef. */
const NOTE_PREFIX = "garbage-collector/";

const BY_ID = new Map(
  RESOURCES.filter((facts) => !facts.virtual && !facts.storedAs).map((facts) => [printGroupResource(facts), facts]),
);

/** The resource of a store; undefined when it is not a built-in one. */
export const storedResource = (id: string): ResourceRef | undefined => {
  const facts = BY_ID.get(id);
  return (
    facts && {
      group: facts.group,
      version: facts.version,
      resource: facts.resource,
      kind: facts.kind,
      namespaced: facts.namespaced,
    }
  );
};

/**
 * Which resources ever had an object that is owned, or one whose deletion is the collector's matter. Only these have to
 * be listed when the object wakes: a cluster uses few of some seventy resources, and each list wakes a store.
 */
export class WatchedResources {
  readonly #notes: Notes;
  readonly #ids: Set<string>;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.#ids = new Set([...notes.list<true>(NOTE_PREFIX)].map(([key]) => key.slice(NOTE_PREFIX.length)));
  }

  get ids(): Iterable<string> {
    return this.#ids;
  }

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#notes.put(NOTE_PREFIX + id, true);
  }
}

/** Whether an object makes its resource one to watch. */
export const isOfInterest = ({ metadata }: KubeObject): boolean =>
  !!metadata.ownerReferences?.length ||
  (!!metadata.deletionTimestamp &&
    !!metadata.finalizers?.some((finalizer) => finalizer === "foregroundDeletion" || finalizer === "orphan"));
