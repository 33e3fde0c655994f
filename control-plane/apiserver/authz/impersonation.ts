import { badRequest } from "../../../shared/api/status.ts";
import type { UserInfo } from "../attributes.ts";
import type { CallHeaders } from "../request-head.ts";
import { type Access, ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from "./access.ts";

const EXTRA = "impersonate-extra-";

/** Whom a request wants to act as, and the rights that takes. */
export interface Impersonation {
  user: UserInfo;
  /** Each must be allowed to the real user (verb `impersonate`). */
  needed: Omit<Access, "user">[];
}

/**
 * Reads the Impersonate-* headers.
 * @returns undefined when there are none
 * @throws ApiError 400 for a group, uid or extra without a user
 */
export function parseImpersonation(headers: CallHeaders): Impersonation | undefined {
  const username = headers.get("impersonate-user") ?? "";
  const groups = splitHeader(headers.get("impersonate-group"));
  const uid = headers.get("impersonate-uid") ?? "";
  const extra = extraOf(headers);
  const isNobody = username === "";
  if (isNobody && groups.length === 0 && uid === "" && Object.keys(extra).length === 0) return undefined;
  if (isNobody) {
    throw badRequest(`requested ${printUser(groups, uid, extra)} without impersonating a user name`);
  }
  return {
    user: {
      username,
      groups: withImplied(username, groups),
      ...(uid ? { uid } : {}),
      ...(hasAny(extra) ? { extra } : {}),
    },
    needed: rightsFor(username, groups, uid, extra),
  };
}

const hasAny = (record: object) => Object.keys(record).length > 0;

/** As Go prints the struct with %#v. */
function printUser(groups: string[], uid: string, extra: Record<string, string[]>): string {
  const strings = (values: string[]) => `{${values.map((value) => JSON.stringify(value)).join(", ")}}`;
  const entries = Object.keys(extra).sort();
  const pairs = entries.map((key) => `${JSON.stringify(key)}:[]string${strings(extra[key]!)}`);
  const printedGroups = groups.length > 0 ? `[]string${strings(groups)}` : "[]string(nil)";
  const printedExtra = pairs.length > 0 ? `map[string][]string{${pairs.join(", ")}}` : "map[string][]string(nil)";
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${printedGroups}, Extra:${printedExtra}}`;
}

/** Several header lines arrive joined by a comma. */
const splitHeader = (value: string | null): string[] =>
  value === null
    ? []
    : value
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");

function extraOf(headers: CallHeaders): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [name, value] of headers) {
    if (name.startsWith(EXTRA)) extra[decodeKey(name.slice(EXTRA.length))] = splitHeader(value);
  }
  return extra;
}

/** What is no valid escape stays as it is. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Groups that follow from who somebody is. */
function withImplied(username: string, groups: string[]): string[] {
  const implied = [...groups];
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  if (account && groups.length === 0) implied.push("system:serviceaccounts", `system:serviceaccounts:${account[1]}`);
  if (username === ANONYMOUS) {
    if (!implied.includes(UNAUTHENTICATED)) implied.push(UNAUTHENTICATED);
  } else if (!implied.includes(AUTHENTICATED) && !implied.includes(UNAUTHENTICATED)) {
    implied.push(AUTHENTICATED);
  }
  return implied;
}

function rightsFor(
  username: string,
  groups: string[],
  uid: string,
  extra: Record<string, string[]>,
): Impersonation["needed"] {
  const base = { verb: "impersonate", isResource: true, version: "v1", subresource: "", namespace: "", path: "" };
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const needed: Impersonation["needed"] = [
    account
      ? { ...base, group: "", resource: "serviceaccounts", namespace: account[1]!, name: account[2]! }
      : { ...base, group: "", resource: "users", name: username },
  ];
  for (const name of groups) needed.push({ ...base, group: "", resource: "groups", name });
  for (const [key, values] of Object.entries(extra)) {
    for (const name of values) {
      needed.push({ ...base, group: "authentication.k8s.io", resource: "userextras", subresource: key, name });
    }
  }
  if (uid !== "") needed.push({ ...base, group: "authentication.k8s.io", resource: "uids", name: uid });
  return needed;
}
