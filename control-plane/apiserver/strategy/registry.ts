import { CONTROLLER_REVISION_STRATEGY } from "./apps/controller-revision.ts";
import { DAEMON_SET_STRATEGY } from "./apps/daemon-set.ts";
import { DEPLOYMENT_STRATEGY } from "./apps/deployment.ts";
import { REPLICA_SET_STRATEGY, REPLICATION_CONTROLLER_STRATEGY } from "./apps/replica-set.ts";
import { STATEFUL_SET_STRATEGY } from "./apps/stateful-set.ts";
import { CONFIG_MAP_STRATEGY, SECRET_STRATEGY } from "./core/config.ts";
import { EVENT_STRATEGY } from "./core/event.ts";
import { LEASE_STRATEGY } from "./core/lease.ts";
import { NAMESPACE_STRATEGY } from "./core/namespace.ts";
import { NODE_STRATEGY } from "./core/node.ts";
import { POD_STRATEGY } from "./core/pod.ts";
import { SERVICE_STRATEGY } from "./core/service.ts";
import { SERVICE_ACCOUNT_STRATEGY } from "./core/service-account.ts";
import type { Strategy } from "./strategy.ts";

/** Kept apart from `Record` so that each row's own kind is checked where it is defined. */
const erase = (strategy: unknown) => strategy as Strategy;

/** Every kind with rules of its own, by `<resource>.<group>`. */
export const strategies: Record<string, Strategy> = {
  configmaps: erase(CONFIG_MAP_STRATEGY),
  events: erase(EVENT_STRATEGY),
  namespaces: erase(NAMESPACE_STRATEGY),
  nodes: erase(NODE_STRATEGY),
  pods: erase(POD_STRATEGY),
  replicationcontrollers: erase(REPLICATION_CONTROLLER_STRATEGY),
  secrets: erase(SECRET_STRATEGY),
  serviceaccounts: erase(SERVICE_ACCOUNT_STRATEGY),
  services: erase(SERVICE_STRATEGY),
  "controllerrevisions.apps": erase(CONTROLLER_REVISION_STRATEGY),
  "daemonsets.apps": erase(DAEMON_SET_STRATEGY),
  "statefulsets.apps": erase(STATEFUL_SET_STRATEGY),
  "deployments.apps": erase(DEPLOYMENT_STRATEGY),
  "events.events.k8s.io": erase(EVENT_STRATEGY),
  "leases.coordination.k8s.io": erase(LEASE_STRATEGY),
  "replicasets.apps": erase(REPLICA_SET_STRATEGY),
};
