import type { ManagedFieldsEntry } from "../../../shared/api/object.ts";
import { difference, emptySet, hasPath, insertPath, isEmptySet } from "./field-set.ts";
import { type Manager, parseManagers, renderManagers } from "./managers.ts";

const SCALE_VERSION = "autoscaling/v1";

/** Workload and Scale have the number of replicas at the same place. */
const PATH = ["f:spec", "f:replicas"];
const REPLICAS = emptySet();
insertPath(REPLICAS, PATH);

const hasReplicas = ({ fields }: Manager) => hasPath(fields, PATH);
const idOf = ({ name, operation, subresource }: Manager) => JSON.stringify([name, operation, subresource]);

/** The managers of a workload as its Scale has them: who set the replicas, in the Scale's version. */
export function entriesOfScale(workload: ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] {
  const managers = (parseManagers(workload) ?? []).filter(hasReplicas);
  return renderManagers(managers.map((manager) => ({ ...manager, apiVersion: SCALE_VERSION, fields: REPLICAS })));
}

/**
 * The managers of a workload after its Scale was written: who lost the replicas there loses them here, and who gained
 * them is added, without a time, as upstream does it.
 * @param apiVersion the workload's
 */
export function entriesOfWorkload(
  workload: ManagedFieldsEntry[] | undefined,
  scale: ManagedFieldsEntry[] | undefined,
  apiVersion: string,
): ManagedFieldsEntry[] {
  const before = parseManagers(workload) ?? [];
  const owners = (parseManagers(scale) ?? []).filter(hasReplicas);
  const owning = new Set(owners.map(idOf));
  const kept = before.map((manager) =>
    owning.has(idOf(manager)) ? manager : { ...manager, fields: difference(manager.fields, REPLICAS) },
  );
  const known = new Set(before.filter(hasReplicas).map(idOf));
  const gained = owners
    .filter((owner) => !known.has(idOf(owner)))
    .map(({ timeMs: _timeMs, ...owner }) => ({ ...owner, apiVersion, fields: REPLICAS }));
  return renderManagers([...kept, ...gained].filter(({ fields }) => !isEmptySet(fields)));
}
