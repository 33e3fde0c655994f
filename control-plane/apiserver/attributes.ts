import type { ResourceFacts, Verb } from "../../shared/schema/resources.ts";

/** Who asks (authentication.k8s.io UserInfo). */
export interface UserInfo {
  username: string;
  uid?: string;
  groups: string[];
  extra?: Record<string, string[]>;
}

/** What a request is about, as authorization and admission see it. */
export interface RequestAttributes {
  cluster: string;
  user: UserInfo;
  verb: Verb | "connect" | "impersonate" | "proxy";
  resource: ResourceFacts;
  subresource?: string;
  namespace?: string;
  name?: string;
  dryRun: boolean;
  fieldManager: string;
}
