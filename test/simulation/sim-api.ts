import { namespaceLifecycle } from "../../control-plane/apiserver/admission/plugins/namespace-lifecycle.ts";
import { resourceQuota } from "../../control-plane/apiserver/admission/plugins/resource-quota.ts";
import {
  isPastBudgets,
  mayIgnoreBudget,
  useBudget,
} from "../../control-plane/apiserver/subresources/disruption-budget.ts";
import { withDisruptionTarget } from "../../control-plane/apiserver/subresources/disruption-target.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { JOBS, LEASES, NAMESPACES, POD_DISRUPTION_BUDGETS, PODS, RESOURCE_QUOTAS } from "../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../shared/api/selector.ts";
import { conflict, failure } from "../../shared/api/status.ts";
import type {
  Binding,
  CertificateSigningRequest,
  Job,
  Namespace,
  Pod,
  PodDisruptionBudget,
  ResourceQuota,
} from "../../shared/api/types.ts";
import type { DeleteOptions, ResourceRef, Subresource } from "../../shared/client/api-client.ts";
import { MemoryApi } from "../builders/memory-api.ts";

type Admission = Parameters<NonNullable<typeof resourceQuota.validate>>[0];

/**
 * The API in memory with what a whole cluster needs beside: admission to namespaces and quotas, the ends of namespaces,
 * bindings, evictions within budgets, and Leases that derive from the nodes' life. Rules are the API server's own.
 */
export class SimApi extends MemoryApi {
  /** When a node last showed life (epoch ms); undefined: it has no Lease. */
  renewedMs: (node: string) => number | undefined = () => undefined;
  /** Told of each pod that an eviction takes, before it does. */
  onEviction: (pod: Pod, budget: PodDisruptionBudget | undefined) => void = () => {};
  readonly #namespaces = new Set<string>();

  override async create<T extends KubeObject>(ref: ResourceRef, object: T, subresource?: Subresource): Promise<T> {
    const { caller } = this;
    if (ref.resource.endsWith("reviews")) return { ...object, status: { allowed: true } };
    if (ref.resource === PODS.resource && subresource) return this.#createForPod(object, subresource);
    if (subresource) return super.create(ref, object, subresource);
    if (ref.resource === NAMESPACES.resource) this.#namespaces.add(object.metadata.name);
    await this.#admit(ref, object);
    this.caller = caller;
    return super.create(ref, ref.resource === JOBS.resource ? withSelector(object) : object);
  }

  override async update<T extends KubeObject>(
    ref: ResourceRef,
    object: T,
    subresource?: "status" | "finalize" | "scale" | "approval",
  ): Promise<T> {
    const updated = await super.update(ref, subresource === "approval" ? this.#dated(object) : object, subresource);
    const isEmpty = subresource === "finalize" && !(updated as unknown as Namespace).spec?.finalizers?.length;
    if (isEmpty && updated.metadata.deletionTimestamp) await super.delete(ref, updated.metadata);
    return updated;
  }

  /** As the API server dates what is decided of a request. */
  #dated<T extends KubeObject>(object: T): T {
    const copy = structuredClone(object) as unknown as CertificateSigningRequest;
    const now = new Date(this.nowMs()).toISOString();
    for (const condition of copy.status?.conditions ?? []) condition.lastUpdateTime ??= now;
    return copy as unknown as T;
  }

  override async delete(
    ref: ResourceRef,
    target: { name: string; namespace?: string },
    options: DeleteOptions = {},
  ): Promise<void> {
    const namespace = ref.resource === NAMESPACES.resource ? this.find<Namespace>(ref, target.name) : undefined;
    if (!namespace?.spec?.finalizers?.length) return super.delete(ref, target, options);
    if (namespace.metadata.deletionTimestamp) return undefined;
    const deletionTimestamp = new Date(this.nowMs()).toISOString();
    await super.patch(ref, target, "merge", { metadata: { deletionTimestamp }, status: { phase: "Terminating" } });
    return undefined;
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

  /** A namespace that nobody ever made is taken for one that is there: tests need not make theirs. */
  async #admit(ref: ResourceRef, object: KubeObject): Promise<void> {
    const { namespace } = object.metadata;
    if (!ref.namespaced || namespace === undefined) return;
    const quotas = () =>
      this.all<ResourceQuota>(RESOURCE_QUOTAS).filter(({ metadata }) => metadata.namespace === namespace);
    const attributes = { resource: ref, namespace, name: object.metadata.name, verb: "create" };
    const request = {
      operation: "CREATE",
      attributes,
      object,
      reader: {
        get: async () => this.find(NAMESPACES, namespace),
        list: async () => quotas(),
        listLive: async () => quotas(),
      },
      writer: {
        replaceStatus: async (_: ResourceRef, before: KubeObject, status: object) => this.#charge(before, status),
      },
    } as unknown as Admission;
    if (this.#namespaces.has(namespace)) await namespaceLifecycle.admit?.(request);
    if (quotas().length > 0) await resourceQuota.validate?.(request);
  }

  async #charge({ metadata }: KubeObject, status: object): Promise<boolean> {
    const { name, namespace, resourceVersion } = metadata;
    const now = this.find(RESOURCE_QUOTAS, `${namespace}/${name}`);
    if (now?.metadata.resourceVersion !== resourceVersion) return false;
    this.caller = "admission";
    await super.patch(RESOURCE_QUOTAS, { name, ...(namespace && { namespace }) }, "merge", { status });
    return true;
  }

  async #createForPod<T extends KubeObject>(object: T, { name, subresource }: Subresource): Promise<T> {
    const pod = await super.get<Pod>(PODS, name, object.metadata.namespace);
    if (subresource === "binding") await this.#bind(pod, object as unknown as Binding);
    else if (subresource === "eviction") await this.#evict(pod);
    return object;
  }

  /** As the API server refuses it: a pod is bound once, and by its uid. */
  async #bind({ metadata, spec }: Pod, { metadata: wanted, target }: Binding): Promise<void> {
    const { name, namespace } = metadata;
    if (wanted.uid && wanted.uid !== metadata.uid)
      throw conflict(PODS, name, "Precondition failed: UID in precondition");
    if (spec.nodeName) throw conflict(PODS, name, `pod ${name} is already assigned to node "${spec.nodeName}"`);
    if (metadata.deletionTimestamp)
      throw conflict(PODS, name, `pod ${name} is being deleted, cannot be assigned to a host`);
    const lastTransitionTime = new Date(this.nowMs()).toISOString();
    const condition = { type: "PodScheduled", status: "True", lastTransitionTime, reason: null, message: null };
    await this.patch(PODS, { name, ...(namespace && { namespace }) }, "strategic", {
      spec: { nodeName: target.name },
      status: { nominatedNodeName: null, conditions: [condition] },
    });
  }

  /** @throws ApiError 429 when the pod's budget allows none */
  async #evict(pod: Pod): Promise<void> {
    const { metadata } = pod;
    const budgets = this.all<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS).filter(
      (each) =>
        each.metadata.namespace === metadata.namespace && matchesLabelSelector(each.spec.selector, metadata.labels),
    );
    if (budgets.length > 1 && !isPastBudgets(pod)) throw failure(500, "", "more than one budget");
    const budget = isPastBudgets(pod) ? undefined : budgets[0];
    const isCounted = budget !== undefined && !mayIgnoreBudget(pod, budget);
    const now = new Date(this.nowMs()).toISOString();
    if (isCounted) {
      const used = useBudget(structuredClone(budget), metadata.name, now);
      await super.update(POD_DISRUPTION_BUDGETS, used, "status");
    }
    this.onEviction(pod, isCounted ? budget : undefined);
    const marked = withDisruptionTarget(pod, now) as Pod | undefined;
    if (marked) await this.patch(PODS, metadata, "strategic", { status: { conditions: marked.status?.conditions } });
    await this.delete(PODS, metadata, { ...(metadata.uid && { uid: metadata.uid }) });
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
