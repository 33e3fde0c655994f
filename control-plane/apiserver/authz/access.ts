import type { UserInfo } from "../attributes.ts";

/** What somebody wants to do, as authorizers see it: before anything is known of the resource. */
export interface Access {
  user: UserInfo;
  verb: string;
  isResource: boolean;
  group: string;
  version: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** Only for what is no resource. */
  path: string;
  /** Unparsed; of list, watch and deletecollection. */
  fieldSelector?: string;
}

export interface Decision {
  allowed: boolean;
  /** Why, for whoever asks in a review; a refusal's reason is also told to the client. */
  reason: string;
}

export const MASTERS = "system:masters";
export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
export const ANONYMOUS = "system:anonymous";

export const NO_OPINION: Decision = { allowed: false, reason: "" };
