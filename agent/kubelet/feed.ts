import type { KubeObject } from "../../shared/api/object.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";

/** What is told of a set of objects: all of them whenever it is listed anew, then each change. */
export interface FeedHandler {
  replace(objects: KubeObject[]): void;
  upsert(object: KubeObject): void;
  remove(object: KubeObject): void;
}

/** Keeps a set of objects up to date until the signal is aborted; lists again after a break, with back-off. */
export type Feed = (
  ref: ResourceRef,
  options: { namespace?: string; fieldSelector?: string },
  handler: FeedHandler,
  signal: AbortSignal,
) => void;
