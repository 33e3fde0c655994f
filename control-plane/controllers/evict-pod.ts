import { PODS } from "../../shared/api/refs.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { Pod, PodCondition } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { conditionsPatch } from "../runtime/index.ts";

/** Marks a pod as disrupted, which Jobs and people go by, and deletes it; the PodDisruptionBudgets are not asked. */
export async function evictPod(
  { metadata, status }: Pod,
  why: Omit<PodCondition, "type" | "status">,
  api: ApiClient,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const condition = { type: "DisruptionTarget", status: "True", ...why };
  const isMarked = status?.conditions?.some(
    ({ type, reason }) => type === condition.type && reason === condition.reason,
  );
  try {
    if (!isMarked) {
      const patch = { metadata: { uid }, status: conditionsPatch(status?.conditions, [condition]) };
      await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", patch);
    }
    await api.delete(PODS, { name, namespace }, { uid });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
