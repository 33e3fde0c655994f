import type { KubeObject } from "../../shared/api/object.ts";
import { matchesLabelSelector } from "../../shared/api/selector.ts";
import type { LabelSelector } from "../../shared/api/types.ts";
import { controllerOf, type Enqueue, type Informer, type InformerEvent, keyOf } from "../runtime/index.ts";

/** The key of the one of `owners` that controls the object, if it is there. */
export function ownerKey<O extends KubeObject>(object: KubeObject, owners: Informer<O>): string | undefined {
  const owner = controllerOf(object);
  if (owner?.kind !== owners.ref.kind) return undefined;
  const key = `${object.metadata.namespace}/${owner.name}`;
  return owners.get(key)?.metadata.uid === owner.uid ? key : undefined;
}

export interface OwnerWakeUp<O extends KubeObject> {
  owners: Informer<O>;
  selectorOf(owner: O): LabelSelector | undefined;
  enqueue: Enqueue;
}

/**
 * Wakes whom a change of an owned object concerns: its owner, the one before, or, while it is nobody's, all that select
 * it and might adopt it.
 * @returns the key of its owner, if it has one of these
 */
export function wakeOwners<T extends KubeObject, O extends KubeObject>(
  event: InformerEvent<T>,
  { owners, selectorOf, enqueue }: OwnerWakeUp<O>,
): string | undefined {
  const { object } = event;
  const key = ownerKey(object, owners);
  if (key !== undefined) enqueue(key);
  else if (!controllerOf(object) && event.type !== "deleted")
    for (const owner of owners.list(object.metadata.namespace))
      if (matchesLabelSelector(selectorOf(owner), object.metadata.labels)) enqueue(keyOf(owner));
  if (event.type === "updated") {
    const before = ownerKey(event.old, owners);
    if (before !== undefined && before !== key) enqueue(before);
  }
  return key;
}
