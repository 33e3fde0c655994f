import { z } from "zod";

/**
 * How the Worker addresses a NodeSession. The host alone tells a tunnel from a request for the kubelet: a kubelet path
 * may come from a user (nodes/proxy), the host never does.
 */
export const TUNNEL_HOST = "tunnel.hearth.internal";
export const KUBELET_ORIGIN = "http://kubelet.hearth.internal";

/** Set by handleTunnelRequest, after authentication, on the request that reaches the NodeSession. */
export const CLUSTER_HEADER = "x-hearth-cluster";
export const NODE_HEADER = "x-hearth-node";
/** Sent by the agent: its version, for status and logs. */
export const AGENT_VERSION_HEADER = "x-hearth-agent-version";

/** What a node's socket carries through hibernation. */
export const socketAttachmentSchema = z.object({
  cluster: z.string(),
  node: z.string(),
  agentVersion: z.string(),
  /** Epoch ms. */
  connectedMs: z.number(),
});
export type SocketAttachment = z.infer<typeof socketAttachmentSchema>;
