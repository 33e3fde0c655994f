import { CLUSTER_ROLES } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { ClusterRole } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { decide } from "./decide.ts";

/** The owner of the rules, so that whoever else applies the role does not take them away. */
const FIELD_MANAGER = "clusterrole-aggregation-controller";

/** Gives ClusterRoles with an aggregationRule the rules of the roles that it selects. */
export const clusterRoleAggregationController: ControllerDefinition = {
  name: "clusterrole-aggregation",
  serviceAccount: "clusterrole-aggregation-controller",
  build({ api, log, informer }) {
    const roles = informer<ClusterRole>(CLUSTER_ROLES);
    return {
      concurrency: 5,
      start(enqueue) {
        // There are few roles, and nobody knows beforehand which of them a change reaches.
        roles.onEvent(() => {
          for (const role of roles.list()) if (role.aggregationRule) enqueue(role.metadata.name);
        });
      },
      async reconcile(name) {
        const role = roles.get(name);
        const rules = role && decide(role, roles.list());
        if (!rules) return done;
        log.info("clusterrole-aggregation plan", { key: name, rules: rules.length });
        const applied = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules };
        try {
          await api.patch(CLUSTER_ROLES, { name, fieldManager: FIELD_MANAGER, force: true }, "apply", applied);
        } catch (error) {
          // Deleted meanwhile.
          if (!isNotFound(error)) throw error;
        }
        return done;
      },
    };
  },
};
