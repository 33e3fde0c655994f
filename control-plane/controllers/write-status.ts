import type { KubeObject } from "../../shared/api/object.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import { type Informer, keyOf, type OwnWrites } from "../runtime/index.ts";

/**
 * Writes an object's status, and notes that `cache` does not show it yet. One that is gone needs none.
 * @param object with the new status
 * @throws ApiError if it is refused
 */
export async function writeStatus<T extends KubeObject>(
  { api, ownWrites }: { api: ApiClient; ownWrites: OwnWrites },
  ref: ResourceRef,
  cache: Informer<T>,
  object: T,
): Promise<void> {
  try {
    ownWrites.wrote(keyOf(object), cache, await api.update<T>(ref, object, "status"));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
