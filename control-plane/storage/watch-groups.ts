import type { CommittedChange } from "./change.ts";
import type { Key, WatchRequest } from "./interface.ts";
import { splitKey } from "./key.ts";

/** All watchers who ask for the same: what they get is made once. */
export interface WatchGroup<Member> {
  request: WatchRequest;
  members: Set<Member>;
}

type Groups<Member> = Set<WatchGroup<Member>>;

/**
 * Watchers by what they ask for, found by what a change can concern: those of one name by the name, those of one value
 * of a field by the value. So a thousand nodes that each watch their own pods cost a change no more than one.
 */
export class WatchGroups<Member> {
  readonly #byId = new Map<string, WatchGroup<Member>>();
  readonly #byName = new Map<string, Groups<Member>>();
  /** Field, then value. */
  readonly #byField = new Map<string, Map<string, Groups<Member>>>();
  readonly #others: Groups<Member> = new Set();

  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  groups(): IteratorObject<WatchGroup<Member>> {
    return this.#byId.values();
  }

  join(request: WatchRequest, member: Member): void {
    const id = groupId(request);
    let group = this.#byId.get(id);
    if (!group) {
      group = { request, members: new Set() };
      this.#byId.set(id, group);
      this.#place(request).add(group);
    }
    group.members.add(member);
  }

  /** Does nothing if the member is not in. */
  leave(request: WatchRequest, member: Member): void {
    const id = groupId(request);
    const group = this.#byId.get(id);
    if (!group?.members.delete(member) || group.members.size > 0) return;
    this.#byId.delete(id);
    this.#place(request).delete(group);
    this.#dropEmptyPlace(request);
  }

  /** The groups which a change may concern; whether it does, their selections say. */
  *concernedBy(change: CommittedChange): Generator<WatchGroup<Member>> {
    yield* this.#others;
    yield* this.#byName.get(nameOf(change.row.key)) ?? [];
    for (const [field, byValue] of this.#byField) {
      const now = change.row.attributes.fields[field] ?? "";
      const before = change.row.type === "MODIFIED" ? (change.previous()?.attributes.fields[field] ?? "") : now;
      yield* byValue.get(now) ?? [];
      if (before !== now) yield* byValue.get(before) ?? [];
    }
  }

  #place(request: WatchRequest): Groups<Member> {
    if (request.name !== undefined) return getOrMake(this.#byName, request.name, () => new Set());
    const equality = indexedField(request);
    if (!equality) return this.#others;
    const byValue = getOrMake(this.#byField, equality.field, () => new Map<string, Groups<Member>>());
    return getOrMake(byValue, equality.value, () => new Set());
  }

  #dropEmptyPlace(request: WatchRequest): void {
    if (request.name !== undefined) {
      if (this.#byName.get(request.name)?.size === 0) this.#byName.delete(request.name);
      return;
    }
    const equality = indexedField(request);
    const byValue = equality && this.#byField.get(equality.field);
    if (!byValue) return;
    if (byValue.get(equality.value)?.size === 0) byValue.delete(equality.value);
    if (byValue.size === 0) this.#byField.delete(equality.field);
  }
}

const groupId = ({ namespace, name, labels, fields, bookmarks, typeMeta }: WatchRequest) =>
  JSON.stringify([namespace, name, labels, fields, bookmarks ?? false, typeMeta.apiVersion, typeMeta.kind]);

const nameOf = (key: Key) => splitKey(key).name;

/** Fields of the metadata come from the key, and are not among an object's attributes. */
function indexedField({ fields }: WatchRequest): { field: string; value: string } | undefined {
  const equality = fields?.find(({ key, operator }) => operator === "=" && !key.startsWith("metadata."));
  return equality && { field: equality.key, value: equality.values[0] ?? "" };
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
