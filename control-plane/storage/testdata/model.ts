import type { Attributes, Key, ListResult, Requirement, Selection, WriteOp, WriteResult } from "../interface.ts";

/** The state of one object as the model has it. */
export interface ModelObject {
  key: Key;
  revision: number;
  value: string;
  attributes: Attributes;
  uid: string;
  claims: string[];
}

/** A watch event, down to what must agree. */
export interface ModelEvent {
  type: string;
  key: Key;
  revision: number;
  value: string;
}

type State = ReadonlyMap<Key, ModelObject>;

/** A store that keeps every state it ever had, and cares for nothing but being obviously right. */
export class ModelStore {
  /** states[i] is the state at revision i + 1. Nothing was at 1: a store begins at 2, so that 1 is always expired. */
  readonly #states: State[] = [new Map(), new Map()];
  compacted = 2;
  #compactTo: number | null = null;

  get revision(): number {
    return this.#states.length;
  }

  get newest(): State {
    return this.#states.at(-1)!;
  }

  at(revision: number): State {
    return this.#states[revision - 1]!;
  }

  write(op: WriteOp): WriteResult {
    const current = this.newest.get(op.key);
    const shown = current && { key: current.key, revision: current.revision, value: current.value };
    if (op.op === "create" && current) return { ok: false, reason: "exists", current: shown! };
    if (op.op !== "create") {
      if (!current) return { ok: false, reason: "notFound" };
      if (current.revision !== op.expectRevision) return { ok: false, reason: "conflict", current: shown! };
    }
    for (const claim of op.op === "delete" ? [] : (op.claims ?? [])) {
      for (const other of this.newest.values()) {
        if (other.key !== op.key && other.claims.includes(claim)) {
          return { ok: false, reason: "claimed", claim, holder: other.key };
        }
      }
    }
    const revision = this.revision + 1;
    const next = new Map(this.newest);
    if (op.op === "delete") next.delete(op.key);
    else {
      const uid = op.op === "create" ? op.uid : current!.uid;
      const claims = op.claims ?? current?.claims ?? [];
      next.set(op.key, { key: op.key, revision, value: op.value, attributes: op.attributes, uid, claims });
    }
    this.#states.push(next);
    if (op.op !== "create") this.#firstGarbage ??= revision;
    return { ok: true, revision };
  }

  /** The first revision since the last `planCompaction` that left an old state behind. */
  #firstGarbage: number | null = null;

  /**
   * To be called after writes that were sent together.
   * @param planned up to where the store says it will compact: it depends on how it grouped the writes
   * @throws Error when no grouping explains it
   */
  planCompaction(planned: number | null): void {
    if (this.#firstGarbage !== null && this.#compactTo === null) {
      if (planned === null || planned < this.#firstGarbage || planned > this.revision) {
        throw new Error(`plans to compact to ${planned}, not to ${this.#firstGarbage} to ${this.revision}`);
      }
      this.#compactTo = planned;
    }
    this.#firstGarbage = null;
  }

  /** The compaction interval has passed, and the alarm went off. */
  compact(): void {
    if (this.#compactTo === null) return;
    this.compacted = Math.max(this.compacted, this.#compactTo);
    this.#compactTo = null;
    for (let revision = this.compacted + 1; revision <= this.revision; revision++) {
      if (this.#eventAt(revision)!.type !== "ADDED") this.#compactTo = this.revision;
    }
  }

  list(selection: Selection, revision = this.revision): ListResult {
    if (revision > this.revision) return { ok: false, reason: "future", newest: this.revision };
    if (revision < this.compacted) return { ok: false, reason: "expired", oldest: this.compacted };
    const items = [...this.at(revision).values()]
      .filter((object) => isSelected(selection, object))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, revision, value }) => ({ key, revision, value }));
    return { ok: true, revision, items };
  }

  /** What a watcher of a selection sees after a revision. */
  eventsAfter(selection: Selection, revision: number): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (let at = revision + 1; at <= this.revision; at++) {
      const { key, before, now, deletedValue } = this.#eventAt(at)!;
      const was = before !== undefined && isSelected(selection, before);
      const is = now !== undefined && isSelected(selection, now);
      if (is) events.push({ type: was ? "MODIFIED" : "ADDED", key, revision: at, value: now!.value });
      else if (was) events.push({ type: "DELETED", key, revision: at, value: now ? before!.value : deletedValue });
    }
    return events;
  }

  #eventAt(revision: number) {
    const [before, now] = [this.at(revision - 1), this.at(revision)];
    for (const [key, object] of now) {
      if (before.get(key) !== object) {
        return { type: before.has(key) ? "MODIFIED" : "ADDED", key, before: before.get(key), now: object, deletedValue: "" };
      }
    }
    for (const [key, object] of before) {
      if (!now.has(key)) return { type: "DELETED", key, before: object, now: undefined, deletedValue: object.value };
    }
    return undefined;
  }
}

/** By the words of the documentation of selectors, one clause each. */
function isSelected({ namespace, name, labels, fields }: Selection, object: ModelObject): boolean {
  const [ns, objectName] = object.key.split("/");
  if (namespace !== undefined && ns !== namespace) return false;
  if (name !== undefined && objectName !== name) return false;
  const all: Record<string, string> = { ...object.attributes.fields, "metadata.name": objectName!, "metadata.namespace": ns! };
  return (
    (labels ?? []).every((wanted) => isMet(wanted, object.attributes.labels[wanted.key])) &&
    (fields ?? []).every((wanted) => isMet(wanted, all[wanted.key] ?? ""))
  );
}

function isMet({ operator, values }: Requirement, value: string | undefined): boolean {
  const isOneOf = value !== undefined && values.indexOf(value) >= 0;
  if (operator === "=" || operator === "in") return isOneOf;
  if (operator === "!=" || operator === "notin") return !isOneOf;
  if (operator === "exists") return value !== undefined;
  if (operator === "!") return value === undefined;
  if (value === undefined || !/^\d+$/.test(value)) return false;
  return operator === "gt" ? Number(value) > Number(values[0]) : Number(value) < Number(values[0]);
}
