import { z } from "zod";

/**
 * How the Worker addresses a NodeSession. The host alone tells a tunnel from a request for the kubelet or for a server
 * that the node can reach: a path may come from a user (nodes/proxy), the host never does.
 */
export const TUNNEL_HOST = "tunnel.hearth.internal";
export const KUBELET_ORIGIN = "http://kubelet.hearth.internal";

/** Of requests for a server that the node's agent is to dial, which TARGET_HEADER names (JSON of a DialTarget). */
export const DIAL_ORIGIN = "http://dial.hearth.internal";
export const TARGET_HEADER = "x-hearth-target";
/**
 * The `content-encoding` of what a dialled server answers, on its way to the Worker: under its own name the platform
 * would undo the encoding.
 */
export const ENCODING_HEADER = "x-hearth-content-encoding";

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
