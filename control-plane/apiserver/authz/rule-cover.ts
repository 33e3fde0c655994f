import type { PolicyRule } from "./rbac.ts";

/** What full rights are, as rules. */
export const ALL_RIGHTS: PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * The part of `wanted` that `held` does not give; empty when it gives all. Each rule is taken apart into pieces of one
 * verb, group, resource and name, since one piece is either within a held rule or not.
 * @see component-helpers, auth/rbac/validation: Covers
 */
export function missingRights(held: PolicyRule[], wanted: PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(piecesOf).filter((piece) => !held.some((rule) => covers(rule, piece)));
}

/** One line for each resource, name or path, sorted: what a refusal tells (rbac/v1 CompactString). */
export function printRights(pieces: PolicyRule[]): string {
  const byTarget = new Map<string, PolicyRule>();
  for (const [index, piece] of pieces.entries()) {
    const { verbs, ...target } = piece;
    // Paths are not put together.
    const key = piece.nonResourceURLs ? String(index) : JSON.stringify(target);
    const known = byTarget.get(key);
    if (known) known.verbs.push(...verbs);
    else byTarget.set(key, { ...target, verbs: [...verbs] });
  }
  return [...new Set([...byTarget.values()].map(printRule))].sort().join("\n");
}

function piecesOf(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ resourceNames: [name] })) : [{}];
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({ apiGroups: [group], resources: [resource], ...name, verbs: [verb] })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })));
  return [...ofResources, ...ofPaths];
}

function covers(rule: PolicyRule, piece: PolicyRule): boolean {
  const { resourceNames: held = [] } = rule;
  const { resourceNames: [name] = [] } = piece;
  return (
    hasAll(rule.verbs, piece.verbs) &&
    hasAll(rule.apiGroups, piece.apiGroups) &&
    (piece.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (piece.nonResourceURLs ?? []).every((url) => (rule.nonResourceURLs ?? []).some((own) => coversUrl(own, url))) &&
    (held.length === 0 || (name !== undefined && held.includes(name)))
  );
}

const hasAll = (held: string[] = [], wanted: string[] = []): boolean =>
  held.includes("*") || wanted.every((each) => held.includes(each));

function coversResource(held: string[], resource: string): boolean {
  if (held.includes("*") || held.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

const coversUrl = (own: string, url: string): boolean =>
  own === url || (own.endsWith("*") && url.startsWith(own.replace(/\*+$/, "")));

function printRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  const shown = parts.filter(([, list]) => list && list.length > 0);
  return `{${shown.map(([name, list]) => `${name}:${printQuoted(list!)}`).join(", ")}}`;
}

/** A list of texts as Go's %q prints it. */
export const printQuoted = (list: string[]): string => `[${list.map((text) => JSON.stringify(text)).join(" ")}]`;
