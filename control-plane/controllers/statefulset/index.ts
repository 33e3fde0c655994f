import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from "../../../shared/api/refs.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/api/types.ts";
import { type ControllerDefinition, Expectations, keyOf, OwnWrites } from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { wakeOwners } from "../owner-keys.ts";
import { observePod } from "../pod-expectations.ts";
import type { StatefulSetDeps } from "./deps.ts";
import { claimName, identityOf } from "./ordinal.ts";
import { reconcile } from "./reconcile.ts";

/**
 * Keeps the pods of a StatefulSet: numbered, each with its own name and claims, made and replaced in order, with a
 * history of templates. Who owns the claims follows the retention policy; the garbage collector deletes them.
 */
export const statefulSetController: ControllerDefinition = {
  name: "statefulset",
  serviceAccount: "statefulset-controller",
  build(base) {
    const deps: StatefulSetDeps = {
      ...base,
      sets: base.informer<StatefulSet>(STATEFUL_SETS),
      pods: base.informer<Pod>(PODS),
      claims: base.informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS),
      revisions: base.informer<ControllerRevision>(CONTROLLER_REVISIONS),
      expectations: new Expectations(base.clock),
      ownWrites: new OwnWrites(),
    };
    deps.pods.addIndex(BY_CONTROLLER, byController);
    deps.revisions.addIndex(BY_CONTROLLER, byController);
    return {
      concurrency: 5,
      start(enqueue) {
        const wakeUp = { owners: deps.sets, selectorOf: ({ spec }: StatefulSet) => spec.selector, enqueue };
        deps.sets.onEvent(({ object }) => enqueue(keyOf(object)));
        deps.revisions.onEvent((event) => void wakeOwners(event, wakeUp));
        deps.pods.onEvent((event) => {
          const owner = wakeOwners(event, wakeUp);
          if (owner !== undefined) observePod(event, owner, deps.expectations);
        });
        deps.claims.onEvent(({ object }) => {
          for (const set of setsOfClaim(object, deps)) enqueue(keyOf(set));
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

/** The sets of which the claim may be by its name; the claim itself does not tell. */
function setsOfClaim({ metadata }: PersistentVolumeClaim, { sets }: StatefulSetDeps): StatefulSet[] {
  const { ordinal } = identityOf(metadata.name);
  if (ordinal < 0) return [];
  return sets
    .list(metadata.namespace)
    .filter((set) =>
      set.spec.volumeClaimTemplates?.some(
        (template) => claimName(set, template.metadata?.name ?? "", ordinal) === metadata.name,
      ),
    );
}
