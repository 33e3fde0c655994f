import type { Pod } from "../../shared/api/types.ts";
import { type Expectations, type InformerEvent, keyOf } from "../runtime/index.ts";

/** Counts a change of an owner's pod against what the owner waits to see: one that is being deleted counts as gone. */
export function observePod(event: InformerEvent<Pod>, owner: string, expectations: Expectations): void {
  const pod = event.object;
  if (event.type === "deleted" || pod.metadata.deletionTimestamp) expectations.deletionObserved(owner, keyOf(pod));
  else if (event.type === "added") expectations.creationObserved(owner);
}
