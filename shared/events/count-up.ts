import { isNotFound } from "../api/status.ts";
import type { ApiClient, ResourceRef } from "../client/api-client.ts";

/**
 * Writes a repetition into the event that was recorded first.
 * @returns false when that has expired
 * @throws ApiError if it is refused
 */
export async function countUp(
  api: Pick<ApiClient, "patch">,
  ref: ResourceRef,
  { name, namespace }: { name: string; namespace?: string },
  changes: object,
): Promise<boolean> {
  try {
    await api.patch(ref, { name, namespace }, "strategic", changes);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
