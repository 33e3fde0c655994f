import { CACHING } from "../../control-plane/scheduler/caching.ts";
import { podScheduling } from "../../control-plane/scheduler/pod-scheduling.ts";
import type { ChangeBatch } from "../../control-plane/storage/interface.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS, NODES, PODS } from "../../shared/api/refs.ts";
import { notFound } from "../../shared/api/status.ts";
import { encodeStored } from "../../shared/api/stored-object.ts";
import type { Node, Pod } from "../../shared/api/types.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import { controllerRunner } from "../../test/builders/run-controllers.ts";

/** As a store's feed brings them at most. */
const BATCH = 500;

/**
 * The scheduler with an API that costs nothing: it lists nodes and pods, takes bindings, and tells of them as the feed
 * of the pods' store would.
 */
export class MemoryCluster {
  readonly #nodes: Node[];
  readonly #pods = new Map<string, Pod>();
  readonly #runner: ReturnType<typeof controllerRunner>;
  #revision = 1;
  #bound: KubeObject[] = [];
  #boundCount = 0;
  #failures = 0;
  #onBound: { count: number; resolve: () => void } | undefined;

  /** @param placed pods that are on nodes already */
  constructor(nodes: Node[], placed: Pod[]) {
    this.#nodes = nodes;
    for (const pod of placed) this.#pods.set(keyOf(pod), pod);
    this.#runner = controllerRunner({ controllers: [podScheduling], client: this.#client(), caching: CACHING });
    this.#runner.start();
  }

  /** Resolves when all are bound. @throws Error if one is not */
  async schedule(pods: Pod[]): Promise<void> {
    const count = this.#boundCount + pods.length;
    const done = new Promise<void>((resolve) => {
      this.#onBound = { count, resolve };
    });
    for (const pod of pods) this.#pods.set(keyOf(pod), pod);
    for (let i = 0; i < pods.length; i += BATCH) this.#feed("ADDED", pods.slice(i, i + BATCH));
    await done;
    if (this.#failures > 0) throw new Error(`${this.#failures} pods did not fit at first`);
  }

  #client(): ApiClient {
    const unused = async () => {
      throw new Error("the scheduler is not expected to call this here");
    };
    return {
      listAll: async (ref: ResourceRef) => ({ metadata: { resourceVersion: "1" }, items: this.#items(ref) }),
      create: async (ref: ResourceRef, object: KubeObject, options?: { name?: string; subresource?: string }) => {
        if (ref === PODS && options?.subresource === "binding") this.#bind(object);
        return object;
      },
      submit: async (_ref: ResourceRef, object: KubeObject) => {
        if ((object as { reason?: string }).reason === "FailedScheduling") this.#failures++;
      },
      patch: async () => ({}),
      // It has no configuration of its own.
      get: async (ref: ResourceRef, name: string) => {
        throw ref === CONFIG_MAPS
          ? notFound(ref, name)
          : new Error(`the scheduler is not expected to get ${name} here`);
      },
      read: unused,
      list: unused,
      update: unused,
      delete: unused,
      deleteCollection: unused,
    } as unknown as ApiClient;
  }

  #items({ resource }: ResourceRef): KubeObject[] {
    if (resource === NODES.resource) return structuredClone(this.#nodes);
    return resource === PODS.resource ? structuredClone([...this.#pods.values()]) : [];
  }

  #bind(binding: KubeObject): void {
    const pod = this.#pods.get(keyOf(binding))!;
    const { name } = (binding as unknown as { target: { name: string } }).target;
    const bound = { ...pod, spec: { ...pod.spec, nodeName: name } };
    this.#pods.set(keyOf(bound), bound);
    this.#bound.push(bound);
    this.#boundCount++;
    if (this.#bound.length === 1) setTimeout(() => this.#tell(), 0);
  }

  #tell(): void {
    this.#feed("MODIFIED", this.#bound);
    this.#bound = [];
    if (this.#onBound && this.#boundCount >= this.#onBound.count) this.#onBound.resolve();
  }

  #feed(type: "ADDED" | "MODIFIED", objects: KubeObject[]): void {
    const fromRevision = this.#revision + 1;
    const changes = objects.map((object) => ({
      type,
      key: keyOf(object),
      revision: ++this.#revision,
      value: encodeStored(object),
    }));
    const batch: ChangeBatch = {
      cluster: "bench",
      group: "",
      resource: "pods",
      fromRevision,
      toRevision: this.#revision,
      changes,
    };
    this.#runner.take(batch);
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
