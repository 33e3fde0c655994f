import type { ControllerManager } from "./controllers/controller-manager.ts";
import type { NodeSession } from "./gateway/node-session.ts";
import type { ClusterDirectory } from "./hosting/cluster-directory.ts";
import type { ClusterIdentity } from "./hosting/cluster-identity.ts";
import type { Scheduler } from "./scheduler/scheduler.ts";
import type { ResourceStore } from "./storage/resource-store.ts";

/** What the platform hands to the Worker and to each Durable Object (see wrangler.toml). */
export interface Env {
  /** Named `<cluster>/<group>/<resource>`; the core group is the empty string: `home//pods`. */
  STORES: DurableObjectNamespace<ResourceStore>;
  /** Named `<cluster>`. */
  CONTROLLERS: DurableObjectNamespace<ControllerManager>;
  /** Named `<cluster>`. */
  SCHEDULERS: DurableObjectNamespace<Scheduler>;
  /** Named `<cluster>/<node>`. */
  NODES: DurableObjectNamespace<NodeSession>;
  /** Named `<cluster>`. */
  CLUSTERS: DurableObjectNamespace<ClusterIdentity>;
  /** One only. */
  DIRECTORY: DurableObjectNamespace<ClusterDirectory>;
  /** Worker secret: authenticates the operator's own front (CLI, front door) and wraps the keys of each cluster. */
  ROOT_SECRET: string;
  /** The cluster served at "/". Others live under `/clusters/<id>/`. Unset when hosted for many. */
  DEFAULT_CLUSTER?: string;
}
