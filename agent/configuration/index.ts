/**
 * How this node's agent is to work: a KubeletConfiguration file beside the agent's state, read once at the start. What the
 * cluster says about the node is not here.
 */
export { decideCgroupSettings } from "./cgroup-settings.ts";
export {
  CLUSTER_DOMAIN,
  type KubeletConfiguration,
  readKubeletConfiguration,
} from "./kubelet-configuration.ts";
export { evictionThresholds, kubeletSettings } from "./kubelet-settings.ts";
