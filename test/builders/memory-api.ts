import type { ChangeBatch, ChangeType } from "../../control-plane/storage/interface.ts";
import type { KubeList, KubeObject, OwnerReference } from "../../shared/api/object.ts";
import { matchesRequirements, parseLabelSelector } from "../../shared/api/selector.ts";
import { alreadyExists, conflict, invalid, notFound, OBJECT_MODIFIED, pathNotFound } from "../../shared/api/status.ts";
import { encodeStored } from "../../shared/api/stored-object.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type {
  ApiClient,
  DeleteOptions,
  ListOptions,
  PatchType,
  ResourceRef,
  Subresource,
} from "../../shared/client/api-client.ts";

interface Table {
  ref: ResourceRef;
  revision: number;
  objects: Map<string, KubeObject>;
}

export interface Call {
  verb: "create" | "update" | "patch" | "delete";
  resource: string;
  name: string;
  namespace?: string;
  subresource?: string;
  body?: unknown;
  /** Who wrote, where the test says so. */
  by?: string;
}

/**
 * An API in memory for tests of what talks to one: revisions per resource, preconditions, generateName, generations,
 * the status subresource, graceful deletion of pods, finalizers, and a change feed. No defaults, no validation, no field
 * selectors; what is applied is merged, and nobody owns fields.
 */
export class MemoryApi implements ApiClient {
  /** Every write, in order. */
  readonly calls: Call[] = [];
  /** Gets each change as the stores' feed would bring it. */
  onBatch: (batch: ChangeBatch) => void = () => {};
  /** Throws to refuse a write. */
  refuse: (call: Call) => void = () => {};
  nowMs: () => number = () => 0;
  /** Who calls; to be set right before each call. */
  caller: string | undefined;
  /** What paths of no resource answer. */
  answer: (path: string) => unknown = () => {
    throw pathNotFound();
  };
  readonly #tables = new Map<string, Table>();
  #serial = 0;

  /** The stored objects of a resource, by key; the caller must not change them. */
  all<T extends KubeObject = KubeObject>(ref: ResourceRef): T[] {
    return [...this.#table(ref).objects.values()] as T[];
  }

  /** The resources of which there ever was an object. */
  get refs(): ResourceRef[] {
    return [...this.#tables.values()].map(({ ref }) => ref);
  }

  find<T extends KubeObject = KubeObject>(ref: ResourceRef, key: string): T | undefined {
    return this.#table(ref).objects.get(key) as T | undefined;
  }

  async get<T extends KubeObject>(
    ref: ResourceRef,
    name: string,
    namespace?: string,
    subresource?: "scale",
  ): Promise<T> {
    const found = copyOf(this.#must(ref, name, namespace));
    return (subresource === "scale" ? scaleOf(found) : found) as T;
  }

  async read(path: string): Promise<unknown> {
    return copyOf(this.answer(path));
  }

  async list<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): Promise<KubeList<T>> {
    const { namespace, labelSelector } = options;
    const { revision, objects } = this.#table(ref);
    const wanted = labelSelector ? parseLabelSelector(labelSelector) : [];
    const items = [...objects.values()].filter(
      ({ metadata }) =>
        (!namespace || metadata.namespace === namespace) && matchesRequirements(wanted, metadata.labels ?? {}),
    );
    return { metadata: { resourceVersion: String(revision) }, items: copyOf(items) as T[] };
  }

  listAll<T extends KubeObject>(ref: ResourceRef, options?: ListOptions): Promise<KubeList<T>> {
    return this.list(ref, options);
  }

  async create<T extends KubeObject>(ref: ResourceRef, object: T, subresource?: Subresource): Promise<T> {
    const { generateName, namespace } = object.metadata;
    const name = object.metadata.name || `${generateName}${(++this.#serial).toString(36).padStart(5, "x")}`;
    this.#called({
      verb: "create",
      resource: ref.resource,
      name,
      namespace,
      subresource: subresource?.subresource,
      body: object,
    });
    if (subresource) return object;
    if (this.find(ref, keyText(name, namespace))) throw alreadyExists(ref, name);
    const created: KubeObject = copyOf(object);
    created.metadata = {
      ...created.metadata,
      name,
      uid: `uid-${++this.#serial}`,
      creationTimestamp: printTime(this.nowMs()),
      ...("spec" in created ? { generation: 1 } : {}),
    };
    return this.#put(ref, "ADDED", created) as T;
  }

  async submit(ref: ResourceRef, object: KubeObject): Promise<void> {
    await this.create(ref, object);
  }

  async update<T extends KubeObject>(
    ref: ResourceRef,
    object: T,
    subresource?: "status" | "finalize" | "scale" | "approval",
  ): Promise<T> {
    const { name, namespace, resourceVersion } = object.metadata;
    this.#called({ verb: "update", resource: ref.resource, name, namespace, subresource, body: object });
    const old = this.#must(ref, name, namespace);
    if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw conflict(ref, name, OBJECT_MODIFIED);
    if (subresource === "scale") {
      const { replicas } = object["spec"] as { replicas: number };
      return this.#replace(ref, old, { ...copyOf(old), spec: { ...(old["spec"] as object), replicas } }) as T;
    }
    const next: KubeObject =
      subresource === "status" || subresource === "approval"
        ? {
            ...copyOf(old),
            status: object["status"],
            metadata: { ...old.metadata, annotations: object.metadata.annotations },
          }
        : { ...copyOf(object), status: old["status"] };
    return this.#replace(ref, old, subresource === "finalize" ? copyOf(object) : next) as T;
  }

  async patch<T extends KubeObject>(
    ref: ResourceRef,
    { name, namespace, subresource }: { name: string; namespace?: string; subresource?: string },
    type: PatchType,
    patch: unknown,
  ): Promise<T> {
    this.#called({ verb: "patch", resource: ref.resource, name, namespace, subresource, body: patch });
    // Of the owners that an apply knows there is one here.
    const isStrategic = type === "strategic" || type === "apply";
    if (type !== "merge" && !isStrategic) throw new Error(`${type} patches are not supported here`);
    const old = this.#must(ref, name, namespace);
    const { uid, resourceVersion } = (patch as KubeObject).metadata ?? {};
    if (uid !== undefined && uid !== old.metadata.uid) throw invalid({ group: ref.group, kind: ref.kind }, name, []);
    if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw conflict(ref, name, OBJECT_MODIFIED);
    return this.#replace(ref, old, merge(old, patch, isStrategic) as KubeObject) as T;
  }

  async delete(
    ref: ResourceRef,
    { name, namespace }: { name: string; namespace?: string },
    options: DeleteOptions = {},
  ): Promise<void> {
    this.#called({ verb: "delete", resource: ref.resource, name, namespace, body: options });
    const old = this.#must(ref, name, namespace);
    if (options.uid && options.uid !== old.metadata.uid) throw conflict(ref, name, "Precondition failed");
    if (options.resourceVersion && options.resourceVersion !== old.metadata.resourceVersion)
      throw conflict(ref, name, OBJECT_MODIFIED);
    const isScheduled = ref.resource === "pods" && !!(old["spec"] as { nodeName?: string } | undefined)?.nodeName;
    const finalizers = [...(old.metadata.finalizers ?? [])];
    if (options.propagationPolicy === "Foreground") finalizers.push("foregroundDeletion");
    if (options.propagationPolicy === "Orphan") finalizers.push("orphan");
    if (finalizers.length === 0 && (!isScheduled || options.gracePeriodSeconds === 0)) {
      this.#put(ref, "DELETED", old);
      return;
    }
    const grace = options.gracePeriodSeconds ?? (isScheduled ? 30 : 0);
    const deletionTimestamp = old.metadata.deletionTimestamp ?? printTime(this.nowMs() + grace * 1000);
    const deletionGracePeriodSeconds = Math.min(grace, old.metadata.deletionGracePeriodSeconds ?? grace);
    this.#put(ref, "MODIFIED", {
      ...old,
      metadata: {
        ...{ ...old.metadata, deletionTimestamp, deletionGracePeriodSeconds },
        ...(finalizers.length ? { finalizers } : {}),
      },
    });
  }

  async deleteCollection(ref: ResourceRef, options: ListOptions & DeleteOptions): Promise<void> {
    const { items } = await this.list(ref, options);
    for (const { metadata } of items) await this.delete(ref, metadata);
  }

  #replace(ref: ResourceRef, old: KubeObject, next: KubeObject): KubeObject {
    const isSpecChanged = JSON.stringify(old["spec"]) !== JSON.stringify(next["spec"]);
    next.metadata.generation = old.metadata.generation && old.metadata.generation + Number(isSpecChanged);
    const isLast =
      next.metadata.deletionTimestamp && !next.metadata.finalizers?.length && old.metadata.finalizers?.length;
    return this.#put(ref, isLast ? "DELETED" : "MODIFIED", next);
  }

  #put(ref: ResourceRef, type: ChangeType, object: KubeObject): KubeObject {
    const table = this.#table(ref);
    const revision = ++table.revision;
    const key = keyText(object.metadata.name, object.metadata.namespace);
    const stored = copyOf(object);
    stored.metadata.resourceVersion = String(revision);
    if (type === "DELETED") table.objects.delete(key);
    else table.objects.set(key, stored);
    this.onBatch({
      cluster: "test",
      group: ref.group,
      resource: ref.resource,
      fromRevision: revision,
      toRevision: revision,
      changes: [{ type, key, revision, value: encodeStored(stored) }],
    });
    return copyOf(stored);
  }

  #called(call: Call): void {
    const known = this.caller === undefined ? call : { ...call, by: this.caller };
    this.calls.push(known);
    this.refuse(known);
  }

  #must(ref: ResourceRef, name: string, namespace?: string): KubeObject {
    const found = this.find(ref, keyText(name, namespace));
    if (!found) throw notFound(ref, name);
    return found;
  }

  #table(ref: ResourceRef): Table {
    const id = `${ref.group}/${ref.resource}`;
    let table = this.#tables.get(id);
    if (!table) {
      table = { ref, revision: 0, objects: new Map() };
      this.#tables.set(id, table);
    }
    return table;
  }
}

/** As the scale subresource of a workload shows it. */
function scaleOf({ metadata, spec, status }: KubeObject): KubeObject {
  const { replicas, selector } = spec as { replicas?: number; selector?: { matchLabels?: Record<string, string> } };
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const current = (status as { replicas?: number } | undefined)?.replicas ?? replicas;
  return {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata,
    spec: { replicas: replicas ?? 1 },
    status: { replicas: current, selector: labels.join(",") },
  };
}

/** As JSON carries it: without what is undefined. */
const copyOf = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

const keyText = (name: string, namespace?: string) => (namespace ? `${namespace}/${name}` : name);

/** JSON merge; in a strategic patch owners are merged by uid, other lists of typed or named entries by that, texts as a set. */
function merge(target: unknown, patch: unknown, strategic: boolean): unknown {
  if (Array.isArray(patch) && strategic) return mergeList((target as unknown[] | undefined) ?? [], patch);
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$setElementOrder/")) continue;
    if (key.startsWith("$deleteFromPrimitiveList/")) {
      const list = key.slice(key.indexOf("/") + 1);
      result[list] = ((result[list] as unknown[] | undefined) ?? []).filter(
        (item) => !(value as unknown[]).includes(item),
      );
      continue;
    }
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value, strategic);
  }
  return result;
}

type Entry = Partial<OwnerReference> & { type?: string; $patch?: string };

function mergeList(target: unknown[], patch: unknown[]): unknown[] {
  if (patch.every((item) => typeof item === "string")) return [...new Set([...target, ...patch])];
  const entries = patch as Entry[];
  const idOf = (entry: Entry) => entry?.uid ?? entry?.type ?? entry?.name;
  if (entries.some((entry) => idOf(entry) === undefined)) return patch;
  let result = [...(target as Entry[])];
  for (const entry of entries) {
    const id = idOf(entry);
    if (entry.$patch === "delete") result = result.filter((old) => idOf(old) !== id);
    else if (result.some((old) => idOf(old) === id))
      result = result.map((old) => (idOf(old) === id ? { ...old, ...entry } : old));
    else result.push(entry);
  }
  return result;
}
