import { CONTROLLER_REVISIONS, DAEMON_SETS, PODS } from "../../../shared/api/refs.ts";
import { isAlreadyExists } from "../../../shared/api/status.ts";
import type { ControllerRevision, DaemonSet, Pod } from "../../../shared/api/types.ts";
import { keyOf } from "../../runtime/index.ts";
import { claimableBy } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { deleteRevision, patchRevision, REVISION_LABEL } from "../controller-revision/index.ts";
import type { DaemonSetDeps } from "./deps.ts";
import { decideHistory, hashOf, isOfPresent, presentRevision } from "./history.ts";

export interface History {
  /** The hash of the present template. */
  hash: string;
  old: ControllerRevision[];
}

/** Brings the revisions up to the present template: one of it, with the highest number, and each with its hash label. */
export async function settleHistory(set: DaemonSet, pods: Pod[], deps: DaemonSetDeps): Promise<History> {
  const { api } = deps;
  const revisions = await Promise.all((await ownRevisions(set, deps)).map((revision) => labelled(set, revision, deps)));
  const { current, old, duplicates, number } = decideHistory(set, revisions);
  if (!current) return { hash: hashOf(await createRevision(set, number, deps)), old };
  const hash = hashOf(current);
  if (duplicates.length > 0) {
    await relabel(pods, hash, deps);
    for (const duplicate of duplicates) await deleteRevision(api, duplicate);
  }
  if (current.revision < number) {
    const renumbered = await patchRevision(api, current, { revision: number });
    deps.ownWrites.wrote(keyOf(set), deps.revisions, renumbered);
  }
  return { hash, old };
}

function ownRevisions(set: DaemonSet, { api, revisions }: DaemonSetDeps): Promise<ControllerRevision[]> {
  return claimObjects({
    api,
    owner: set,
    ownerRef: DAEMON_SETS,
    selector: set.spec.selector,
    objects: claimableBy(set, revisions),
    objectRef: CONTROLLER_REVISIONS,
  });
}

/** One that came without the label is known by its name. */
async function labelled(
  set: DaemonSet,
  revision: ControllerRevision,
  { api, ownWrites, revisions }: DaemonSetDeps,
): Promise<ControllerRevision> {
  const { labels, name } = revision.metadata;
  if (labels?.[REVISION_LABEL] !== undefined) return revision;
  const written = await patchRevision(api, revision, { labels: { [REVISION_LABEL]: name } });
  ownWrites.wrote(keyOf(set), revisions, written);
  return written;
}

/** Pods of a revision that says the same count as of the one that is kept. */
async function relabel(pods: Pod[], hash: string, { api }: DaemonSetDeps): Promise<void> {
  for (const { metadata } of pods) {
    if (metadata.labels?.[REVISION_LABEL] === hash) continue;
    const { name, namespace, uid } = metadata;
    await api.patch(PODS, { name, namespace }, "merge", { metadata: { uid, labels: { [REVISION_LABEL]: hash } } });
  }
}

/**
 * @throws when the name is taken by another revision, after raising collisionCount, so that the next try gets another
 * name
 */
async function createRevision(set: DaemonSet, number: number, deps: DaemonSetDeps): Promise<ControllerRevision> {
  const { api, log, ownWrites, sets } = deps;
  const wanted = presentRevision(set, number);
  const key = keyOf(set);
  try {
    const created = await api.create<ControllerRevision>(CONTROLLER_REVISIONS, wanted);
    ownWrites.wrote(key, deps.revisions, created);
    return created;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = wanted.metadata;
    const existing = await api.get<ControllerRevision>(CONTROLLER_REVISIONS, name, namespace);
    if (isOfPresent(set, existing)) return existing;
    const status = {
      currentNumberScheduled: 0,
      desiredNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
      ...set.status,
      collisionCount: (set.status?.collisionCount ?? 0) + 1,
    };
    log.info("daemonset hash collision", { key, collisionCount: status.collisionCount });
    ownWrites.wrote(key, sets, await api.update<DaemonSet>(DAEMON_SETS, { ...set, status }, "status"));
    throw error;
  }
}
