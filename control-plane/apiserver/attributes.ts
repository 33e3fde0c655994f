import type { ResourceFacts, Verb } from "../../shared/schema/resources.ts";
import type { Env } from "../env.ts";

/** Who asks (authentication.k8s.io UserInfo). */
export interface UserInfo {
  username: string;
  uid?: string;
  groups: string[];
  extra?: Record<string, string[]>;
}

/** Where and for whom a request runs. Inside a Durable Object it is built by the caller, with no authentication step. */
export interface ApiContext {
  env: Env;
  /** The cluster's id. */
  cluster: string;
  user: UserInfo;
  waitUntil(promise: Promise<unknown>): void;
}

/** What a request to a resource is about, as authorization and admission see it. */
export interface RequestAttributes {
  verb: Verb | "connect" | "impersonate" | "proxy";
  resource: ResourceFacts;
  subresource?: string;
  namespace?: string;
  /** Empty for a create with generateName, for lists and for collections. */
  name?: string;
  dryRun: boolean;
  fieldManager: string;
}
