import { quote } from "../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../shared/api/names.ts";
import type { UserInfo } from "../attributes.ts";
import { type Access, ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED } from "./access.ts";
import type { WantedUser } from "./impersonation.ts";

/** One right that the real user must have. */
export interface Check {
  access: Access;
  /** It is refused in any case, for this. */
  refusal?: string;
  /** Rights that do instead of it, all together. */
  orEach?: Access[];
}

/** A way to act as somebody: if all its checks pass, the request goes on as `user`. */
export interface ImpersonationMode {
  name: string;
  checks: Check[];
  user: UserInfo;
}

const NODE_PREFIX = "system:node:";
const NODES = "system:nodes";
const NODE_NAME_EXTRA = "authentication.kubernetes.io/node-name";
/** From so many groups or extras on, the right to all of a kind is asked for first. */
const MANY = 4;
const PATH_FORMAT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH = new RegExp(`^${PATH_FORMAT}$`);

/**
 * The modes by which the requestor may act as the wanted user, in the order in which they are tried; the refusal of the
 * first is told when none allows it. All but the last are constrained: they also ask for the right to do what is
 * requested under that mode.
 * @param last the mode that allowed the requestor's last impersonation: it is tried first
 * @see KEP-5284
 */
export function impersonationModes(wanted: WantedUser, requested: Access, last?: string): ImpersonationMode[] {
  const requestor = requested.user;
  const isBare = wanted.groups.length === 0 && wanted.uid === "" && Object.keys(wanted.extra).length === 0;
  const node = nodeOf(wanted.username);
  const account = accountOf(wanted.username);
  const constrained = (mode: string, nodeName = node) => ({
    name: mode,
    checks: [
      { access: { ...requested, verb: `impersonate-on:${mode}:${requested.verb}` } },
      ...checksOf(wanted, { requestor, verb: `impersonate:${mode}`, nodeName }),
    ],
    user: userOf(wanted, node !== undefined),
  });
  const modes: ImpersonationMode[] = [];
  if (isBare && node !== undefined) {
    const isOwn = accountOf(requestor.username) && requestor.extra?.[NODE_NAME_EXTRA]?.join() === node;
    // Whichever node a service account runs on: the right is to all of them.
    if (isOwn) modes.push(constrained("associated-node", "*"));
    modes.push(constrained("arbitrary-node"));
  }
  if (isBare && account) modes.push(constrained("serviceaccount"));
  if (node === undefined && !account) modes.push(constrained("user-info"));
  const checks = checksOf(wanted, { requestor, verb: "impersonate" });
  modes.push({ name: "legacy", checks, user: userOf(wanted, false) });
  return modes.sort((a, b) => Number(b.name === last) - Number(a.name === last));
}

function nodeOf(username: string): string | undefined {
  if (!username.startsWith(NODE_PREFIX)) return undefined;
  const name = username.slice(NODE_PREFIX.length);
  return checkDns1123Subdomain(name).length === 0 ? name : undefined;
}

function accountOf(username: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace !== undefined && name !== undefined ? { namespace, name } : undefined;
}

interface Asking {
  requestor: UserInfo;
  /** `impersonate`, with the mode behind a colon if it is a constrained one. */
  verb: string;
  nodeName?: string;
}

function checksOf(wanted: WantedUser, { requestor, verb, nodeName }: Asking): Check[] {
  const isConstrained = verb !== "impersonate";
  const base = { user: requestor, verb, isResource: true, version: "v1", subresource: "", namespace: "", path: "" };
  const authentication = { ...base, group: "authentication.k8s.io" };
  // The one mode that is older than the group.
  const named = isConstrained ? authentication : { ...base, group: "" };
  const account = accountOf(wanted.username);
  const checks: Check[] = [
    {
      access: account
        ? { ...named, resource: "serviceaccounts", ...account }
        : nodeName === undefined
          ? { ...named, resource: "users", name: wanted.username }
          : { ...named, resource: "nodes", name: nodeName },
    },
  ];
  if (wanted.uid !== "") checks.push({ access: { ...authentication, resource: "uids", name: wanted.uid } });
  const groups = { ...named, resource: "groups" };
  if (isConstrained && wanted.groups.includes(MASTERS)) {
    const refusal = "impersonating the system:masters group is not allowed";
    checks.push({ access: { ...groups, name: MASTERS }, refusal });
  }
  const ofGroups = wanted.groups.map((name) => ({ ...groups, name }));
  const extras = { ...authentication, resource: "userextras" };
  const ofExtras = Object.entries(wanted.extra).flatMap(([subresource, values]) =>
    values.map((name) => ({ ...extras, subresource, name })),
  );
  const badKey = isConstrained ? Object.keys(wanted.extra).flatMap(keyRefusal)[0] : undefined;
  return [
    ...checks,
    ...allOrEach(ofGroups, isConstrained && { ...groups, name: "*" }),
    ...(badKey === undefined ? [] : [{ access: { ...extras, name: "" }, refusal: badKey }]),
    ...allOrEach(ofExtras, isConstrained && { ...extras, subresource: "*", name: "*" }),
  ];
}

/** Constrained modes take no key that is not a domain and a path, in lower case. */
function keyRefusal(key: string): string[] {
  const invalid = (value: string, why: string) => [
    `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${quote(value)}: ${why}`,
  ];
  const [, domain = "", path = ""] = /^([^/]*)\/(.*)$/s.exec(key) ?? [];
  if (domain === "" || path === "") return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  const [why] = checkDns1123Subdomain(domain);
  if (why !== undefined) return invalid(domain, why);
  if (!PATH.test(path)) return invalid(path, `Invalid path (regex used for validation is '${PATH_FORMAT}')`);
  return key === key.toLowerCase() ? [] : [`impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`];
}

const allOrEach = (each: Access[], all: Access | false): Check[] =>
  all && each.length >= MANY ? [{ access: all, orEach: each }] : each.map((access) => ({ access }));

function userOf({ username, groups, uid, extra }: WantedUser, isNode: boolean): UserInfo {
  return {
    username,
    groups: withImplied(username, isNode ? [NODES] : groups),
    ...(uid ? { uid } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

/** Groups that follow from who somebody is. */
function withImplied(username: string, groups: string[]): string[] {
  const implied = [...groups];
  const account = accountOf(username);
  if (account && groups.length === 0) {
    implied.push("system:serviceaccounts", `system:serviceaccounts:${account.namespace}`);
  }
  if (username === ANONYMOUS) {
    if (!implied.includes(UNAUTHENTICATED)) implied.push(UNAUTHENTICATED);
  } else if (!implied.includes(AUTHENTICATED) && !implied.includes(UNAUTHENTICATED)) {
    implied.push(AUTHENTICATED);
  }
  return implied;
}
