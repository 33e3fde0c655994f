import { CONTROLLER_REVISIONS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { ControllerRevision } from "../../../shared/api/types.ts";
import type { ApiClient } from "../../../shared/client/api-client.ts";

/** Changes a revision as it was read: a conflict is thrown when it changed since. */
export function patchRevision(
  api: ApiClient,
  { metadata: { name, namespace, uid, resourceVersion } }: ControllerRevision,
  change: { revision?: number; labels?: Record<string, string> },
): Promise<ControllerRevision> {
  const { revision, labels } = change;
  const patch = { metadata: { uid, resourceVersion, ...(labels ? { labels } : {}) }, revision };
  return api.patch<ControllerRevision>(CONTROLLER_REVISIONS, { name, namespace }, "merge", patch);
}

/** Removes it; one that is gone already is as good. */
export async function deleteRevision(api: ApiClient, { metadata }: ControllerRevision): Promise<void> {
  const { name, namespace, uid } = metadata;
  try {
    await api.delete(CONTROLLER_REVISIONS, { name, namespace }, { uid });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
