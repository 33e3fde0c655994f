import { printGroupVersion } from "../../shared/api/group-resource.ts";
import type { KubeObject, OwnerReference } from "../../shared/api/object.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";

/** The one owner reference with controller=true, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Marks `owner` as the managing controller of a new object; its deletion in the foreground waits for the object. */
export function newControllerRef(owner: KubeObject, ref: ResourceRef): OwnerReference {
  return {
    apiVersion: printGroupVersion(ref),
    kind: ref.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** `<namespace>/<name>`, or `<name>` for a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
