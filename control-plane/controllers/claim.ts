import type { KubeObject } from "../../shared/api/object.ts";
import { matchesLabelSelector } from "../../shared/api/selector.ts";
import { isInvalid, isNotFound } from "../../shared/api/status.ts";
import type { LabelSelector } from "../../shared/api/types.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import { controllerOf, newControllerRef } from "../runtime/index.ts";

/**
 * - mine: owned and selected
 * - adopt: selected, and nobody's
 * - release: owned, but no longer selected
 * - ignore: somebody else's, not selected, or on its way out
 */
export type Claim = "mine" | "adopt" | "release" | "ignore";

/**
 * How a controller stands to an object that its selector may select (upstream's ControllerRefManager).
 * @param isKin a condition beside the selector
 */
export function decideClaim(
  owner: KubeObject,
  selector: LabelSelector | undefined,
  object: KubeObject,
  isKin = true,
): Claim {
  const controller = controllerOf(object);
  const isSelected = isKin && matchesLabelSelector(selector, object.metadata.labels);
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return "ignore";
    if (isSelected) return "mine";
    return owner.metadata.deletionTimestamp ? "ignore" : "release";
  }
  if (owner.metadata.deletionTimestamp || object.metadata.deletionTimestamp || !isSelected) return "ignore";
  return "adopt";
}

export interface ClaimOptions<T> {
  api: ApiClient;
  owner: KubeObject;
  ownerRef: ResourceRef;
  selector: LabelSelector | undefined;
  objects: T[];
  objectRef: ResourceRef;
  /** What must hold beside the selector. */
  isKin?(object: T): boolean;
  /** Given to what is adopted, and taken from what is released. */
  finalizer?: string;
}

/**
 * Adopts orphans and releases what no longer fits; gives what is the owner's afterwards.
 * @throws when a write fails for another reason than that the object is gone
 */
export async function claimObjects<T extends KubeObject>(options: ClaimOptions<T>): Promise<T[]> {
  const { owner, selector } = options;
  const mine: T[] = [];
  let mayAdopt: Promise<void> | undefined;
  for (const object of options.objects) {
    const claim = decideClaim(owner, selector, object, options.isKin?.(object));
    if (claim === "mine") mine.push(object);
    if (claim === "release") await release(options, object);
    if (claim === "adopt") {
      mayAdopt ??= recheckOwner(options);
      await mayAdopt;
      const adopted = await adopt(options, object);
      if (adopted) mine.push(adopted);
    }
  }
  return mine;
}

type Claimer = Omit<ClaimOptions<KubeObject>, "objects" | "isKin">;

/** The cache may be behind: an owner that is being deleted must adopt nothing (upstream RecheckDeletionTimestamp). */
async function recheckOwner({ api, owner, ownerRef }: Claimer): Promise<void> {
  const { name, namespace, uid } = owner.metadata;
  const fresh = await api.get(ownerRef, name, namespace);
  if (fresh.metadata.uid !== uid)
    throw new Error(
      `original ${ownerRef.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`,
    );
  if (fresh.metadata.deletionTimestamp)
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
}

/** @returns the object as it is then; undefined when it is gone, or another one of that name */
async function adopt<T extends KubeObject>(options: Claimer, object: T): Promise<T | undefined> {
  const owner = newControllerRef(options.owner, options.ownerRef);
  const finalizers = options.finalizer === undefined ? {} : { finalizers: [options.finalizer] };
  return patchMetadata(options, object, { ownerReferences: [owner], ...finalizers });
}

async function release(options: Claimer, object: KubeObject): Promise<void> {
  const finalizers =
    options.finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [options.finalizer] };
  const ownerReferences = [{ $patch: "delete", uid: options.owner.metadata.uid }];
  await patchMetadata(options, object, { ownerReferences, ...finalizers });
}

async function patchMetadata<T extends KubeObject>(
  { api, objectRef }: Claimer,
  object: T,
  changes: Record<string, unknown>,
): Promise<T | undefined> {
  const { name, namespace, uid } = object.metadata;
  try {
    return await api.patch<T>(objectRef, { name, namespace }, "strategic", { metadata: { uid, ...changes } });
  } catch (error) {
    // Invalid: the uid differs, or somebody else became its controller meanwhile.
    if (isNotFound(error) || isInvalid(error)) return undefined;
    throw error;
  }
}
