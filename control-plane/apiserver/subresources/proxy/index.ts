/**
 * `pods/proxy`, `services/proxy` and `nodes/proxy`: HTTP and WebSockets to what runs in the cluster, through the API. The
 * control plane stands in none of the cluster's networks, so a node's agent dials (gateway/, agent/dial).
 */

import { askNode } from "../../../gateway/index.ts";
import type { ApiContext } from "../../attributes.ts";
import type { ConnectHandler } from "../../call.ts";
import { clusterReader } from "../../cluster-reader.ts";
import { mayHaveBody, requestHeaders } from "./headers.ts";
import { nodeLocation, type ObjectReader, podLocation, serviceLocation } from "./location.ts";
import { passOn, redirectToRoot } from "./pass-on.ts";
import { proxiedPath } from "./proxied-path.ts";

/** `pods/<[scheme:]name[:port]>/proxy/…` */
export const podProxy: ConnectHandler = async (context, { name = "", namespace = "" }, request) =>
  passOn(context, await podLocation(liveReader(context), name, namespace), request);

/** `services/<[scheme:]name[:port]>/proxy/…`; the port is a number of the Service, or its name. */
export const serviceProxy: ConnectHandler = async (context, { name = "", namespace = "" }, request) =>
  passOn(context, await serviceLocation(liveReader(context), name, { namespace, random: Math.random }), request);

/** `nodes/<[scheme:]name[:port]>/proxy/…`: the kubelet's own API (configz, pods, stats), or a port of the node. */
export const nodeProxy: ConnectHandler = async (context, { name = "" }, request) => {
  const { node, location } = await nodeLocation(liveReader(context), name);
  if (location) return passOn(context, location, request);
  const url = new URL(request.url);
  const { path } = proxiedPath(request.url);
  const root = redirectToRoot(request, path);
  if (root) return root;
  return askNode(context.env, { cluster: context.cluster, node }, (path || "/") + url.search, {
    method: request.method,
    headers: requestHeaders(request),
    body: mayHaveBody(request) ? request.body : null,
    signal: request.signal,
    redirect: "manual",
  });
};

const liveReader = ({ env, cluster }: ApiContext): ObjectReader => {
  const reader = clusterReader(env, cluster);
  return { get: (gr, name, namespace) => reader.getLive(gr, name, namespace) };
};
