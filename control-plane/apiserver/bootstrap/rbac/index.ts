/**
 * Upstream's default roles and bindings: ordinary objects that every cluster begins with, and that get back what they
 * lack whenever the control plane comes up. Not here: who may do what (authz), and the gathering of rules by
 * aggregation (the clusterrole-aggregation controller).
 */
export {
  BOOTSTRAP_LABEL,
  CLUSTER_ROLE_BINDING_OBJECTS,
  CLUSTER_ROLE_OBJECTS,
  ROLE_BINDING_OBJECTS,
  ROLE_OBJECTS,
} from "./objects.ts";
export { type Binding, type Change, type Role, reconcileBinding, reconcileRole } from "./reconcile.ts";
