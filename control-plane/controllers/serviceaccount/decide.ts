import type { Namespace } from "../../../shared/api/types.ts";
import { isGoing } from "../namespace-state.ts";

/** Every namespace has it; pods that name no other run under it. */
export const DEFAULT_SERVICE_ACCOUNT = "default";

/** Whether the default ServiceAccount must be made: not in a namespace that is going away. */
export function isAccountMissing(namespace: Namespace | undefined, hasAccount: boolean): boolean {
  return namespace !== undefined && !hasAccount && !isGoing(namespace);
}
