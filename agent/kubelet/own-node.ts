import { NODES } from "../../shared/api/refs.ts";
import type { Node } from "../../shared/api/types.ts";
import type { Feed } from "./feed.ts";

/** This node's object, as the API has it. */
export interface OwnNode {
  /** Undefined before it was told, and when there is none. */
  current(): Node | undefined;
  /** Settles when there was one for the first time. */
  known: Promise<void>;
}

export function followOwnNode({
  feed,
  nodeName,
  signal,
}: {
  feed: Feed;
  nodeName: string;
  signal: AbortSignal;
}): OwnNode {
  let node: Node | undefined;
  const { promise: known, resolve } = Promise.withResolvers<void>();
  const set = (next: unknown) => {
    node = next as Node | undefined;
    if (node) resolve();
  };
  feed(
    NODES,
    { fieldSelector: `metadata.name=${nodeName}` },
    { replace: ([only]) => set(only), upsert: set, remove: () => set(undefined) },
    signal,
  );
  return { current: () => node, known };
}
