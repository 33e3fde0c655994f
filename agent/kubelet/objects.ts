import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS, SECRETS } from "../../shared/api/refs.ts";
import { ApiError, isNotFound } from "../../shared/api/status.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { ConfigMap, Pod, Secret } from "../api/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import { type AgentState, createOrder } from "../state/index.ts";
import type { VolumeSources } from "../volumes/index.ts";
import { findPersistentVolume } from "./claims.ts";
import type { Feed } from "./feed.ts";
import { createTokens } from "./tokens.ts";

/**
 * How many objects are watched one by one, so that a change reaches pods at once; each watch is a stream of the tunnel.
 * What is over that is read again at every resync of its pods.
 */
const MAX_WATCHED = 128;

type Kind = "configmaps" | "secrets";

export interface Objects extends VolumeSources {
  /** The pod is gone: what only it used is not watched any more. */
  forgetPod(uid: string): void;
}

interface Entry {
  users: Set<string>;
  /** As the watch has it; `known` tells a missing object from one that was not yet heard of. */
  value?: KubeObject;
  known: boolean;
  /** Whether the disk has it as the watch has it, or is being told. */
  isRemembered: boolean;
  /** The API was away when it was asked for: pods have got what the disk had, or nothing. */
  isOwed: boolean;
  stop: AbortController;
}

/**
 * The objects that pods refer to, read once and then kept up to date. What was read is remembered on the disk, for the
 * time when the API is away.
 * @param onChange told the uids of the pods that use a changed object
 */
export function createObjects({
  api,
  feed,
  state,
  clock,
  log,
  onChange,
  signal,
}: {
  api: ApiClient;
  feed: Feed;
  state: AgentState;
  clock: Clock;
  log: Log;
  onChange: (uid: string) => void;
  signal: AbortSignal;
}): Objects {
  const watched = new Map<string, Entry>();
  const refs = { configmaps: CONFIG_MAPS, secrets: SECRETS };

  /** What is remembered of one object, in the order in which it was told. */
  const inOrder = createOrder();

  async function remember(kind: Kind, namespace: string, name: string, object: KubeObject | undefined): Promise<void> {
    if (!object) return state.forgetObject(kind, namespace, name);
    const known = await state.object(kind, namespace, name);
    if (known?.metadata.resourceVersion !== object.metadata.resourceVersion) await state.saveObject(kind, object);
  }

  /** Nobody waits for the disk: it is for the time when the API is away. A disk that was full is tried at the next look. */
  function rememberLater(kind: Kind, namespace: string, name: string, object: KubeObject | undefined): void {
    const key = keyOf(kind, namespace, name);
    const mark = (isRemembered: boolean) => {
      const entry = watched.get(key);
      if (entry?.known && entry.value === object) entry.isRemembered = isRemembered;
    };
    mark(true);
    inOrder(key, () => remember(kind, namespace, name, object)).catch((error: unknown) => {
      mark(false);
      log("error", "cannot remember an object on the disk", { kind, namespace, name, error: String(error) });
    });
  }

  function watch(kind: Kind, namespace: string, name: string): Entry {
    const users = new Set<string>();
    const entry: Entry = { users, known: false, isRemembered: false, isOwed: false, stop: new AbortController() };
    const set = (value: KubeObject | undefined) => {
      const hasChanged = entry.known && entry.value?.metadata.resourceVersion !== value?.metadata.resourceVersion;
      const isNews = hasChanged || entry.isOwed;
      entry.value = value;
      entry.known = true;
      entry.isOwed = false;
      // It stays as it is: that is what it was made immutable for (KEP-1412).
      if (value?.["immutable"] === true) entry.stop.abort();
      if (!isNews) return;
      rememberLater(kind, namespace, name, value);
      for (const uid of entry.users) onChange(uid);
    };
    feed(
      refs[kind],
      { namespace, fieldSelector: `metadata.name=${name}` },
      { replace: ([only]) => set(only), upsert: set, remove: () => set(undefined) },
      AbortSignal.any([entry.stop.signal, signal]),
    );
    return entry;
  }

  async function read(kind: Kind, pod: Pod, name: string): Promise<KubeObject | undefined> {
    const { namespace, uid } = pod.metadata;
    const key = keyOf(kind, namespace, name);
    let entry = watched.get(key);
    if (!entry && watched.size < MAX_WATCHED) {
      entry = watch(kind, namespace, name);
      watched.set(key, entry);
    }
    entry?.users.add(uid);
    if (entry?.known) return latest(entry);
    try {
      const object = await api.get(refs[kind], name, namespace).catch(ignoreNotFound);
      // The watch was quicker, and may know of a later change.
      if (entry?.known) return latest(entry);
      rememberLater(kind, namespace, name, object);
      return object;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (entry?.known) return latest(entry);
      if (entry) entry.isOwed = true;
      const remembered = await state.object(kind, namespace, name);
      if (!remembered) throw error;
      log("debug", "the API is away, using the remembered object", { kind, namespace, name });
      return remembered;
    }

    function latest({ value, isRemembered }: Entry): KubeObject | undefined {
      if (!isRemembered) rememberLater(kind, namespace, name, value);
      return value;
    }
  }

  return {
    configMap: async (pod, name) => (await read("configmaps", pod, name)) as ConfigMap | undefined,
    secret: async (pod, name) => (await read("secrets", pod, name)) as Secret | undefined,
    persistentVolume: (pod, volume) => findPersistentVolume(api, pod, volume),
    serviceAccountToken: createTokens({ api, state, clock, log }),
    forgetPod(uid) {
      for (const [key, entry] of watched) {
        if (!entry.users.delete(uid) || entry.users.size > 0) continue;
        entry.stop.abort();
        watched.delete(key);
      }
    },
  };
}

const keyOf = (kind: Kind, namespace: string, name: string) => `${kind}/${namespace}/${name}`;

/** No answer, or one that says that the server itself is in trouble. */
export function isUnreachable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status.code >= 500 || error.status.code === 429;
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
