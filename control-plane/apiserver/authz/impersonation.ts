import { badRequest } from "../../../shared/api/status.ts";
import type { CallHeaders } from "../request-head.ts";

const EXTRA = "impersonate-extra-";

/** Whom a request wants to act as, as its headers say it. */
export interface WantedUser {
  username: string;
  groups: string[];
  /** "" when there is none. */
  uid: string;
  extra: Record<string, string[]>;
}

/**
 * Reads the Impersonate-* headers.
 * @returns undefined when there are none
 * @throws ApiError 400 for a group, uid or extra without a user
 */
export function parseImpersonation(headers: CallHeaders): WantedUser | undefined {
  const username = headers.get("impersonate-user") ?? "";
  const groups = splitHeader(headers.get("impersonate-group"));
  const uid = headers.get("impersonate-uid") ?? "";
  const extra = extraOf(headers);
  const isNobody = username === "";
  if (isNobody && groups.length === 0 && uid === "" && Object.keys(extra).length === 0) return undefined;
  if (isNobody) {
    throw badRequest(`requested ${printUser(groups, uid, extra)} without impersonating a user name`);
  }
  return { username, groups, uid, extra };
}

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
