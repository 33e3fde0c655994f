/**
 * The history of StatefulSets and DaemonSets: ControllerRevisions, each a patch that brings a pod template back, named
 * and hashed as upstream does, so that `kubectl rollout history` and `undo` find them. When one is made, renumbered or
 * removed is for the controllers to decide.
 */
export {
  byRevision,
  dataText,
  HASH_LABEL,
  hashOfData,
  maxRevision,
  newRevision,
  REVISION_LABEL,
  revisionName,
  templateOf,
  templatePatch,
} from "./revision.ts";
export { deleteRevision, patchRevision } from "./write.ts";
