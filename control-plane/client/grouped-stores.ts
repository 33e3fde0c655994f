import type { Env } from "../env.ts";
import type { Key, ResourceStoreApi, StoredValue, WriteOp, WriteResult } from "../storage/interface.ts";

/** Calls that go together at most, and how much they may carry: one RPC takes 32 MiB. */
const MAX_CALLS = 64;
const MAX_CHARS = 4 * 1024 * 1024;

/**
 * The stores, for a caller that asks for much at the same time: what is read and written in one turn goes to a store in
 * one call each, and is committed together. A call between Durable Objects costs more than what it does. Only for code
 * of one Durable Object: a Worker's requests must not wait for each other.
 */
export function groupedStores(env: Env): Env {
  const stores = new Map<string, GroupedStore>();
  const getByName = (name: string): GroupedStore => {
    let store = stores.get(name);
    if (!store) {
      store = new GroupedStore(() => env.STORES.getByName(name) as unknown as Stub);
      stores.set(name, store);
    }
    return store;
  };
  return { ...env, STORES: { getByName } as unknown as Env["STORES"] };
}

type Stub = ResourceStoreApi & Pick<Fetcher, "fetch">;

class GroupedStore implements Stub {
  /** A stub that saw its object die is of no use any more, so none is kept. */
  readonly #stub: () => Stub;
  readonly #gets: Group<Key, StoredValue | null>;
  readonly #writes: Group<WriteOp, WriteResult>;

  constructor(stub: () => Stub) {
    this.#stub = stub;
    this.#gets = new Group(
      (keys) => stub().getAll(keys),
      (key) => key.length,
    );
    this.#writes = new Group(
      (ops) => stub().writeAll(ops),
      ({ value }) => value?.length ?? 0,
    );
  }

  get(key: Key) {
    return this.#gets.add(key);
  }

  write(op: WriteOp) {
    return this.#writes.add(op);
  }

  getAll = (keys: Key[]) => this.#stub().getAll(keys);
  writeAll = (ops: WriteOp[]) => this.#stub().writeAll(ops);
  list: Stub["list"] = (request) => this.#stub().list(request);
  currentRevision = () => this.#stub().currentRevision();
  count = (namespace?: string) => this.#stub().count(namespace);
  destroy = () => this.#stub().destroy();
  fetch: Stub["fetch"] = (input: RequestInfo, init?: RequestInit) => this.#stub().fetch(input, init);
}

/** Questions of one turn, asked together. */
export class Group<Q, A> {
  readonly #ask: (questions: Q[]) => Promise<A[]>;
  readonly #charsOf: (question: Q) => number;
  #waiting: { question: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }[] = [];
  #chars = 0;

  /** @param ask gives an answer to each, in their order */
  constructor(ask: (questions: Q[]) => Promise<A[]>, charsOf: (question: Q) => number) {
    this.#ask = ask;
    this.#charsOf = charsOf;
  }

  /** @throws what the whole group was rejected with */
  add(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) queueMicrotask(() => void this.#send());
      this.#waiting.push({ question, resolve, reject });
      this.#chars += this.#charsOf(question);
      if (this.#waiting.length >= MAX_CALLS || this.#chars > MAX_CHARS) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#chars = 0;
    try {
      const answers = await this.#ask(group.map(({ question }) => question));
      for (const [i, { resolve }] of group.entries()) resolve(answers[i]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
