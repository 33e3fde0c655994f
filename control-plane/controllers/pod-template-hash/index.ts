import type { PodTemplateSpec } from "../../../shared/api/types.ts";
import { fnv32a, printHash } from "../fnv.ts";
import { dump } from "./dump.ts";

/**
 * The hash of a pod template by which ReplicaSets are named and labelled: the same as upstream's for the same template,
 * so that objects of another cluster are found again after a move.
 * @param collisionCount status.collisionCount: another number gives another hash when a name is taken
 */
export function computeHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let hash = fnv32a(new TextEncoder().encode(dump("v1.PodTemplateSpec", template)));
  if (collisionCount !== undefined) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, collisionCount, true);
    hash = fnv32a(bytes, hash);
  }
  return printHash(hash);
}

export { dump };
