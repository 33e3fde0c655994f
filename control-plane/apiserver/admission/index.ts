/**
 * Admission: what a write must satisfy, or is completed with, because of other objects or of who asks. The plugins run
 * in the order of the list, first all that change the object, later all that check it. Rules of one kind alone are
 * strategies, not admission.
 */
import type { AdmissionPlugin, AdmissionRequest } from "./plugin.ts";
import { certificateSubjectRestriction } from "./plugins/certificate-subject-restriction.ts";
import { defaultIngressClass, defaultStorageClass } from "./plugins/default-class.ts";
import { defaultTolerationSeconds } from "./plugins/default-toleration-seconds.ts";
import { deviceClaims } from "./plugins/device-claims.ts";
import { limitRanger } from "./plugins/limit-ranger.ts";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle.ts";
import { nodeRestriction } from "./plugins/node-restriction.ts";
import { persistentVolumeClaimResize } from "./plugins/persistent-volume-claim-resize.ts";
import { podSecurity } from "./plugins/pod-security.ts";
import { priority } from "./plugins/priority.ts";
import { rbacEscalation } from "./plugins/rbac-escalation.ts";
import { resourceQuota } from "./plugins/resource-quota.ts";
import { runtimeClass } from "./plugins/runtime-class.ts";
import { serviceAccount } from "./plugins/service-account.ts";
import { storageObjectInUseProtection } from "./plugins/storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./plugins/taint-nodes-by-condition.ts";

export type { AdmissionPlugin, AdmissionRequest } from "./plugin.ts";

/** In upstream's order; the last two are part of its storage, behind all admission. */
const PLUGINS: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateSubjectRestriction,
  defaultIngressClass,
  resourceQuota,
  rbacEscalation,
  deviceClaims,
];

/** Lets every plugin change the object. @throws ApiError of the first that refuses */
export async function admit(request: AdmissionRequest): Promise<void> {
  for (const plugin of PLUGINS) {
    const pending = plugin.admit?.(request);
    if (pending) await pending;
  }
}

/** Lets every plugin check the final object. @throws ApiError of the first that refuses */
export async function validateAdmission(request: AdmissionRequest): Promise<void> {
  for (const plugin of PLUGINS) {
    const pending = plugin.validate?.(request);
    if (pending) await pending;
  }
}
