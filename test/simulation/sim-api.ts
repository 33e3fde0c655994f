import type { KubeObject } from "../../shared/api/object.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { JOBS, LEASES, PODS } from "../../shared/api/refs.ts";
import { conflict } from "../../shared/api/status.ts";
import type { Binding, Job, Pod } from "../../shared/api/types.ts";
import type { ResourceRef, Subresource } from "../../shared/client/api-client.ts";
import { MemoryApi } from "../builders/memory-api.ts";

/** The API in memory with what a whole cluster needs beside: bindings, and Leases that derive from the nodes' life. */
export class SimApi extends MemoryApi {
  /** When a node last showed life (epoch ms); undefined: it has no Lease. */
  renewedMs: (node: string) => number | undefined = () => undefined;

  override async create<T extends KubeObject>(ref: ResourceRef, object: T, subresource?: Subresource): Promise<T> {
    if (ref.resource === JOBS.resource && !subresource) return super.create(ref, withSelector(object));
    if (ref.resource !== PODS.resource || !subresource) return super.create(ref, object, subresource);
    const { name, namespace, uid } = object.metadata;
    const pod = await this.get<Pod>(PODS, name, namespace);
    if (subresource.subresource === "binding") {
      // As the API server refuses it: a pod is bound once, and by its uid.
      if (uid && uid !== pod.metadata.uid) throw conflict(PODS, name, "Precondition failed: UID in precondition");
      if (pod.spec.nodeName)
        throw conflict(PODS, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
      if (pod.metadata.deletionTimestamp)
        throw conflict(PODS, name, `pod ${name} is being deleted, cannot be assigned to a host`);
      const condition = {
        type: "PodScheduled",
        status: "True",
        lastTransitionTime: new Date(this.nowMs()).toISOString(),
      };
      await this.patch(PODS, { name, ...(namespace && { namespace }) }, "strategic", {
        spec: { nodeName: (object as unknown as Binding).target.name },
        status: { conditions: [condition] },
      });
    } else if (subresource.subresource === "eviction" && !isPodTerminal(pod)) {
      await this.delete(PODS, pod.metadata);
    }
    return object;
  }

  override async get<T extends KubeObject>(
    ref: ResourceRef,
    name: string,
    namespace?: string,
    subresource?: "scale",
  ): Promise<T> {
    const renewedMs =
      ref.resource === LEASES.resource && namespace === "kube-node-lease" ? this.renewedMs(name) : undefined;
    if (renewedMs === undefined) return super.get<T>(ref, name, namespace, subresource);
    return { metadata: { name, namespace }, spec: { renewTime: new Date(renewedMs).toISOString() } } as unknown as T;
  }
}

/** A Job finds its pods by a label that the API server writes into both. Its name will do here: none is used twice. */
function withSelector<T extends KubeObject>(object: T): T {
  const copy = structuredClone(object) as unknown as Job;
  const label = { "batch.kubernetes.io/job-name": copy.metadata.name };
  copy.spec.selector ??= { matchLabels: label };
  copy.spec.template.metadata = {
    ...copy.spec.template.metadata,
    labels: { ...copy.spec.template.metadata?.labels, ...label },
  };
  return copy as unknown as T;
}
