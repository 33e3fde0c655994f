import { type RuleText, WRITE_EVENTS } from "./rule-text.ts";

/** Upstream's default Roles, by namespace and name. */
export const NAMESPACED_ROLE_RULES: Record<string, Record<string, readonly RuleText[]>> = {
  "kube-system": {
    "extension-apiserver-authentication-reader": ["get,list,watch core configmaps extension-apiserver-authentication"],
    "system::leader-locking-kube-controller-manager": [
      "create,get,list,update,watch coordination.k8s.io leases",
      "create,get,list,update,watch coordination.k8s.io leasecandidates",
    ],
    "system::leader-locking-kube-scheduler": [
      "create,get,list,update,watch coordination.k8s.io leases",
      "create,get,list,update,watch coordination.k8s.io leasecandidates",
    ],
    "system:controller:bootstrap-signer": ["get,list,watch core secrets"],
    "system:controller:cloud-provider": ["create,get,list,watch core configmaps"],
    "system:controller:token-cleaner": ["delete,get,list,watch core secrets", WRITE_EVENTS],
  },
  "kube-public": {
    "system:controller:bootstrap-signer": [
      "get,list,watch core configmaps",
      "update core configmaps cluster-info",
      WRITE_EVENTS,
    ],
  },
};
