import type { GroupResource } from "../../shared/api/group-resource.ts";
import type { ResourceFacts } from "../../shared/schema/index.ts";
import type { ApiContext, RequestAttributes } from "./attributes.ts";
import type { Answer, ApiCall } from "./call.ts";
import type { Output } from "./negotiation.ts";
import type { RequestInfo } from "./request-info.ts";
import { type Store, storageOf, storeOf } from "./stores.ts";

/** An authorized request to a known resource, as the handlers get it. */
export interface ResourceRequest {
  call: ApiCall;
  context: ApiContext;
  info: RequestInfo;
  facts: ResourceFacts;
  attributes: RequestAttributes;
  output: Output;
  /** Sent as Warning headers with whatever is answered. */
  warnings: string[];
}

/** A Response of its own is what only the platform can make: an upgrade to a WebSocket. */
export type Handler = (request: ResourceRequest) => Promise<Answer | Response>;

export const storeFor = ({ context, facts }: ResourceRequest): Store =>
  storeOf(context.env, context.cluster, storageOf(facts));

/** As messages name it; a subresource does not count. */
export const groupResourceOf = ({ facts }: ResourceRequest): GroupResource => ({
  group: facts.group,
  resource: facts.resource,
});

/** The kind and version that answers carry. */
export const typeMetaOf = (facts: ResourceFacts): { apiVersion: string; kind: string } => ({
  apiVersion: facts.group === "" ? facts.version : `${facts.group}/${facts.version}`,
  kind: facts.kind,
});
