import { DAEMON_SETS } from "../../../shared/api/refs.ts";
import type { ControllerRevision, DaemonSet, Pod } from "../../../shared/api/types.ts";
import {
  byRevision,
  dataText,
  maxRevision,
  newRevision,
  REVISION_LABEL,
  templatePatch,
} from "../controller-revision/index.ts";
import { computeHash } from "../pod-template-hash/index.ts";

export interface HistoryPlan {
  /** The revision of the present template; undefined when it must be made. */
  current: ControllerRevision | undefined;
  old: ControllerRevision[];
  /** The number that the current one must have. */
  number: number;
  /** Others that say the same as the current one. */
  duplicates: ControllerRevision[];
}

export const hashOf = ({ metadata: { name, labels } }: ControllerRevision): string => labels?.[REVISION_LABEL] ?? name;

/** Whether the revision keeps the present template. */
export const isOfPresent = (set: DaemonSet, { data }: ControllerRevision): boolean =>
  dataText(data) === dataText(presentData(set));

const data = new WeakMap<DaemonSet, unknown>();

function presentData(set: DaemonSet): unknown {
  const known = data.get(set) ?? templatePatch(set.spec.template);
  data.set(set, known);
  return known;
}

export function decideHistory(set: DaemonSet, revisions: ControllerRevision[]): HistoryPlan {
  const isPresent = (revision: ControllerRevision) => isOfPresent(set, revision);
  const same = revisions.filter(isPresent).sort(byRevision);
  const old = revisions.filter((revision) => !isPresent(revision));
  const current = same.pop();
  return { current, old, duplicates: same, number: Math.max(maxRevision(old) + 1, current?.revision ?? 0) };
}

export function presentRevision(set: DaemonSet, number: number): ControllerRevision {
  const hash = computeHash(set.spec.template, set.status?.collisionCount);
  return newRevision({
    owner: set,
    ownerRef: DAEMON_SETS,
    name: `${set.metadata.name}-${hash}`,
    labels: { ...set.spec.template.metadata?.labels, [REVISION_LABEL]: hash },
    data: presentData(set),
    revision: number,
  });
}

/** Old revisions past the limit of which no pod is left, the lowest first; those with pods fill the limit. */
export function decideTruncation(set: DaemonSet, old: ControllerRevision[], pods: Pod[]): ControllerRevision[] {
  const surplus = old.length - (set.spec.revisionHistoryLimit ?? 10);
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[REVISION_LABEL]));
  const unused = old.filter((revision) => !live.has(hashOf(revision))).sort(byRevision);
  return unused.slice(0, Math.max(0, surplus));
}
