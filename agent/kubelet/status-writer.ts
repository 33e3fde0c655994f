import { isDeepStrictEqual } from "node:util";
import { PODS } from "../../shared/api/refs.ts";
import { isConflict, isForbidden, isNotFound } from "../../shared/api/status.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { Pod, PodCondition, PodStatus } from "../api/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import { isUnreachable } from "./objects.ts";
import { OWNED_CONDITIONS } from "./status/conditions.ts";

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** Reports pods' statuses. Only the newest status of each pod waits to be sent, so what waits is bounded by the pods. */
export interface StatusWriter {
  /** The last status handed in, sent or not; before the first one, what the API has. */
  current(pod: Pod): PodStatus;
  /** Sends the status if it differs from what the API has. Does not wait. */
  write(pod: Pod, status: PodStatus): void;
  /** Settles when the pod's last status is on the server, or the pod is gone there (which may be told as 403 or 404). */
  flushed(uid: string): Promise<void>;
  /**
   * Told whenever the server's copy is seen: a patch starts from it. Where somebody else has written over what we had
   * reported (the node was taken for dead, say) it is reported again.
   */
  seen(pod: Pod): void;
  /** The API's copy of a static pod is there, or has changed. */
  seenMirror(uid: string, mirror: Pod): void;
  /** The API is about to tell all pods: what it says counts, though it may have lost its last versions (a restore). */
  relisting(): void;
  forget(uid: string): void;
}

interface Entry {
  pod: Pod;
  /** On the server, as far as we know. */
  sent: PodStatus;
  wanted: PodStatus;
  /** The record's version with what was sent last: older echoes say nothing. */
  sentVersion?: number | undefined;
  sending?: Promise<void>;
  /** The newest copy that was seen while something was sent: somebody else may have written in between. */
  seenMeanwhile?: Pod | undefined;
}

export function createStatusWriter({
  api,
  clock,
  log,
  signal,
  recordOf,
}: {
  api: ApiClient;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** What the API has of a pod: itself, or the mirror of a static one; undefined while there is none to report to. */
  recordOf: (pod: Pod) => Pod | undefined;
}): StatusWriter {
  const entries = new Map<string, Entry>();

  async function sendAll(entry: Entry): Promise<void> {
    const { name, namespace } = entry.pod.metadata;
    let pauseMs = FIRST_RETRY_MS;
    while (!signal.aborted && entries.get(entry.pod.metadata.uid) === entry) {
      const uid = recordOf(entry.pod)?.metadata.uid;
      if (uid === undefined) return;
      const { wanted } = entry;
      const patch = renderStatusPatch(uid, entry.sent, wanted);
      if (!patch) return;
      try {
        const written = await api.patch<Pod>(PODS, { name, namespace, subresource: "status" }, "strategic", patch);
        entry.sent = wanted;
        entry.sentVersion = versionOf(written);
        pauseMs = FIRST_RETRY_MS;
      } catch (error) {
        // Another pod of the name may have taken its place: the uid in the patch then makes a conflict.
        if (isNotFound(error) || isConflict(error)) {
          entry.sent = wanted;
          return;
        }
        if (isForbidden(error)) {
          // A node may not even know of a pod that is not (or no longer) its own. If it is, the next report tries again.
          log("debug", "a pod's status is not ours to report", { pod: `${namespace}/${name}` });
          return;
        }
        log(isUnreachable(error) ? "debug" : "warn", "cannot report a pod's status", {
          pod: `${namespace}/${name}`,
          error: String(error),
        });
        await clock.sleep(pauseMs, signal);
        pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS);
      }
    }
  }

  function send(entry: Entry): void {
    entry.sending ??= sendAll(entry).finally(() => {
      entry.sending = undefined;
      const { seenMeanwhile } = entry;
      if (!seenMeanwhile) return;
      entry.seenMeanwhile = undefined;
      see(entry, seenMeanwhile);
    });
  }

  function see(entry: Entry | undefined, record: Pod): void {
    if (!entry || isOlder(record, entry)) return;
    if (entry.sending) {
      entry.seenMeanwhile = record;
      return;
    }
    entry.sent = record.status ?? {};
    send(entry);
  }

  return {
    current: (pod) => entries.get(pod.metadata.uid)?.wanted ?? recordOf(pod)?.status ?? {},
    write(pod, status) {
      const { uid } = pod.metadata;
      const entry = entries.get(uid) ?? { pod, sent: recordOf(pod)?.status ?? {}, wanted: status };
      entries.set(uid, entry);
      entry.pod = pod;
      entry.wanted = status;
      send(entry);
    },
    async flushed(uid) {
      for (let entry = entries.get(uid); entry?.sending; entry = entries.get(uid)) await entry.sending;
    },
    seen: (pod) => see(entries.get(pod.metadata.uid), pod),
    seenMirror: (uid, mirror) => see(entries.get(uid), mirror),
    relisting() {
      for (const entry of entries.values()) {
        entry.sentVersion = undefined;
        entry.seenMeanwhile = undefined;
      }
    },
    forget: (uid) => {
      entries.delete(uid);
    },
  };
}

/** Unknown of an answer that does not say. */
const versionOf = ({ metadata }: Pod): number => Number(metadata?.resourceVersion ?? Number.NaN);

const isOlder = (pod: Pod, { sentVersion = Number.NaN }: Entry): boolean => versionOf(pod) < sentVersion;

/** Lists that the server merges by this key instead of replacing them. */
const MERGED_BY_IP = ["hostIPs", "podIPs"] as const;

/**
 * A strategic merge patch for pods/status with what differs, or undefined when nothing does. Conditions of others stay:
 * the server merges the list by type.
 */
export function renderStatusPatch(uid: string, from: PodStatus, to: PodStatus): object | undefined {
  const before = from as Record<string, unknown>;
  const after = to as Record<string, unknown>;
  const changes: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (key === "conditions" || isDeepStrictEqual(before[key], after[key])) continue;
    if (MERGED_BY_IP.includes(key as "podIPs")) {
      const kept = (after[key] ?? []) as { ip: string }[];
      const gone = ((before[key] ?? []) as { ip: string }[]).filter(({ ip }) => !kept.some((entry) => entry.ip === ip));
      changes[key] = [...gone.map(({ ip }) => ({ $patch: "delete", ip })), ...kept];
    } else if (after[key] !== undefined) {
      changes[key] = after[key];
    } else if (OWNED_FIELDS.has(key)) {
      changes[key] = null;
    }
  }
  const conditions = ((after["conditions"] ?? []) as PodCondition[]).filter((condition) => {
    const known = ((before["conditions"] ?? []) as PodCondition[]).find(({ type }) => type === condition.type);
    return !known || !sameCondition(known, condition);
  });
  const gone = ((before["conditions"] ?? []) as PodCondition[]).filter(
    ({ type }) =>
      OWNED_CONDITIONS.has(type) && !((after["conditions"] ?? []) as PodCondition[]).some((c) => c.type === type),
  );
  if (conditions.length + gone.length > 0) {
    changes["conditions"] = [...gone.map(({ type }) => ({ $patch: "delete", type })), ...conditions.map(clearing)];
  }
  return Object.keys(changes).length === 0 ? undefined : { metadata: { uid }, status: changes };
}

/** Others' fields (nominatedNodeName, say) are left alone. */
const OWNED_FIELDS = new Set(["reason", "message", "podIP", "initContainerStatuses", "ephemeralContainerStatuses"]);

const CONDITION_FIELDS = ["status", "reason", "message", "lastTransitionTime", "observedGeneration"] as const;

/** What a patch has cleared may be there as null. */
const sameCondition = (a: PodCondition, b: PodCondition) =>
  CONDITION_FIELDS.every((field) => (a[field] ?? undefined) === (b[field] ?? undefined));

/** A merge keeps what it is not told to remove. */
const clearing = ({ reason, message, ...rest }: PodCondition) => ({
  ...rest,
  reason: reason ?? null,
  message: message ?? null,
});
