import { handleRequest } from "./apiserver/index.ts";
import type { Env } from "./env.ts";

export { ControllerManager } from "./controllers/controller-manager.ts";
export { NodeSession } from "./gateway/node-session.ts";
export { ClusterDirectory } from "./hosting/cluster-directory.ts";
export { ClusterIdentity } from "./hosting/cluster-identity.ts";
export { Scheduler } from "./scheduler/scheduler.ts";
export { ResourceStore } from "./storage/resource-store.ts";

/** The stateless entry: every HTTP request from outside comes in here. */
export default {
  fetch: (request, env, context) => handleRequest(request, env, context),
} satisfies ExportedHandler<Env>;
