import { applyPodSpecDefaults } from "../../../shared/api/pod-defaults.ts";
import { STATEFUL_SETS } from "../../../shared/api/refs.ts";
import type { ControllerRevision, Pod, PodTemplateSpec, StatefulSet } from "../../../shared/api/types.ts";
import {
  byRevision,
  dataText,
  HASH_LABEL,
  hashOfData,
  maxRevision,
  newRevision,
  revisionName,
  templateOf,
  templatePatch,
} from "../controller-revision/index.ts";
import { revisionOf } from "./pod.ts";

/** How the revision of the set's present template comes about. */
export type UpdateRevision =
  | { op: "keep"; revision: ControllerRevision }
  | { op: "renumber"; revision: ControllerRevision; to: number }
  | { op: "create"; revision: ControllerRevision };

/**
 * The revision of the present template: the latest when that says the same, an earlier one raised to the next number (a
 * roll-back), or a new one.
 */
export function decideUpdateRevision(set: StatefulSet, revisions: ControllerRevision[]): UpdateRevision {
  const sorted = [...revisions].sort(byRevision);
  const latest = sorted.at(-1);
  const data = templatePatch(set.spec.template);
  const text = dataText(data);
  const equal = sorted.filter((revision) => dataText(revision.data) === text).at(-1);
  const next = maxRevision(sorted) + 1;
  if (latest && equal && dataText(latest.data) === text) return { op: "keep", revision: latest };
  if (equal) return { op: "renumber", revision: equal, to: next };
  if (latest && saysSame(latest, text)) return { op: "keep", revision: latest };
  return { op: "create", revision: revisionOfSet(set, { data, number: next, collisionCount: collisionsOf(set) }) };
}

export const collisionsOf = (set: StatefulSet): number => set.status?.collisionCount ?? 0;

/** A revision of an earlier version, to which later defaults must be added before it can be compared. */
function saysSame(revision: ControllerRevision, text: string): boolean {
  const template = templateOf(revision);
  if (!template?.spec) return false;
  const completed: PodTemplateSpec = structuredClone(template);
  if (completed.spec) applyPodSpecDefaults(completed.spec);
  return dataText(templatePatch(completed)) === text;
}

interface RevisionInput {
  data: unknown;
  number: number;
  collisionCount: number;
}

function revisionOfSet(set: StatefulSet, { data, number, collisionCount }: RevisionInput): ControllerRevision {
  const hash = hashOfData(data, collisionCount);
  return newRevision({
    owner: set,
    ownerRef: STATEFUL_SETS,
    name: revisionName(set.metadata.name, hash),
    labels: { ...set.spec.template.metadata?.labels, [HASH_LABEL]: hash },
    data,
    revision: number,
  });
}

/** The same revision under another name, the first being taken. Its label keeps the hash of the first, as upstream's does. */
export function renamed(set: StatefulSet, revision: ControllerRevision, collisionCount: number): ControllerRevision {
  const name = revisionName(set.metadata.name, hashOfData(revision.data, collisionCount));
  return { ...revision, metadata: { ...revision.metadata, name } };
}

/** The template of a revision; the set's own when the revision keeps none. */
export const templateAt = (set: StatefulSet, revision: ControllerRevision): PodTemplateSpec =>
  templateOf(revision) ?? set.spec.template;

export interface History {
  revisions: ControllerRevision[];
  pods: Pod[];
  /** Names of those that the status tells of. */
  live: string[];
}

/** Revisions past the limit, the lowest first; those in use do not count (a negative limit keeps all). */
export function decideTruncation(set: StatefulSet, { revisions, pods, live }: History): ControllerRevision[] {
  const limit = set.spec.revisionHistoryLimit ?? 10;
  const used = new Set([...live, ...pods.map(revisionOf)]);
  const history = revisions.filter(({ metadata }) => !used.has(metadata.name)).sort(byRevision);
  return limit < 0 ? [] : history.slice(0, Math.max(0, history.length - limit));
}
