import type { KubeObject, ObjectMeta } from "../../shared/api/object.ts";
import { PODS } from "../../shared/api/refs.ts";
import { ApiError, isNotFound } from "../../shared/api/status.ts";
import type { Pod, PodTemplateSpec } from "../../shared/api/types.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import { messageOf } from "../../shared/message-of.ts";
import { type EventRecorder, newControllerRef } from "../runtime/index.ts";

/** A new pod of a template, owned by `owner`; the server completes its name. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubeObject, ownerRef: ResourceRef): Pod {
  const meta = template.metadata ?? {};
  const metadata: Omit<ObjectMeta, "name"> = {
    generateName: `${owner.metadata.name}-`,
    namespace: owner.metadata.namespace,
    labels: { ...meta.labels },
    ...(meta.annotations ? { annotations: { ...meta.annotations } } : {}),
    ...(meta.finalizers ? { finalizers: [...meta.finalizers] } : {}),
    ownerReferences: [newControllerRef(owner, ownerRef)],
  };
  const spec = structuredClone(template.spec ?? { containers: [] });
  return { apiVersion: "v1", kind: "Pod", metadata: metadata as ObjectMeta, spec };
}

/** Creates and deletes pods for an owner, and says so in the owner's events. */
export interface PodControl {
  /** @throws what the API refused it with, after an event; an answer that the namespace is going away makes no event */
  create(pod: Pod, owner: KubeObject): Promise<Pod>;
  /** @throws as `create`; NotFound is thrown too (the caller knows what it means), without an event */
  remove(pod: Pod, owner: KubeObject): Promise<void>;
}

export function podControl(api: ApiClient, events: EventRecorder): PodControl {
  return {
    async create(pod, owner) {
      try {
        const created = await api.create<Pod>(PODS, pod);
        events.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error))
          events.event(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
        throw error;
      }
    },
    async remove(pod, owner) {
      const { name, namespace } = pod.metadata;
      try {
        await api.delete(PODS, { name, namespace }, { uid: pod.metadata.uid });
      } catch (error) {
        if (isNotFound(error)) throw error;
        events.event(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error });
      }
      events.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    },
  };
}

/** The namespace is being deleted: nothing can be created in it, and trying again is of no use. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && !!error.status.details?.causes?.some((c) => c.reason === "NamespaceTerminating");
}
