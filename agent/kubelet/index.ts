/**
 * The kubelet: runs the pods that are bound to this node. A worker for each pod looks at what the runtime has of it,
 * computes the next step (`computePodActions`, pure), carries it out, and reports the status (`decidePodStatus`, pure).
 * It does not register the node nor serve logs and exec; those are other areas of the agent.
 */
export { parseResolvConf } from "./dns-config.ts";
export type { Feed, FeedHandler } from "./feed.ts";
export { readHostDns } from "./host-dns.ts";
export { type Kubelet, type KubeletOptions, runKubelet } from "./kubelet.ts";
export {
  CONTAINER_NAME_LABEL,
  POD_LOGS_ROOT,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_UID_LABEL,
  RESTART_COUNT_ANNOTATION,
} from "./names.ts";
export type { PodNetwork } from "./pod-network.ts";
export type { NodeFacts } from "./sandbox-config.ts";
export { DEFAULT_SETTINGS, type KubeletSettings } from "./settings.ts";
export { createWatchFeed } from "./watch-feed.ts";
