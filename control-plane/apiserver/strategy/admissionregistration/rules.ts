import { duplicate, invalidEach, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkPathSegment } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";

/** Which requests a webhook or a policy is asked about. */
export interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  resourceNames?: string[];
  scope?: string;
}

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];

const mixesWildcard = (values: string[]) => values.length > 1 && values.includes("*");

/** One word stands for every word: there is nothing to add to it. */
function checkWildcard(values: string[], field: string, what: string): StatusCause[] {
  return mixesWildcard(values)
    ? [invalidValue(field, values, `if '*' is present, must not specify other ${what}`)]
    : [];
}

function checkResources(resources: string[], field: string): StatusCause[] {
  const causes = resources.length === 0 ? [required(field)] : [];
  const withAllSubresources = new Set<string>();
  const ofAllResources = new Set<string>();
  // Upstream remembers the last one alone.
  let endsPlain = false;
  for (const [i, name] of resources.entries()) {
    const path = `${field}[${i}]`;
    if (name === "") {
      causes.push(required(path));
      continue;
    }
    const slash = name.indexOf("/");
    if (slash < 0) {
      endsPlain = name !== "*";
      continue;
    }
    const resource = name.slice(0, slash);
    const subresource = name.slice(slash + 1);
    if (withAllSubresources.has(resource)) {
      causes.push(invalidValue(path, name, `if '${resource}/*' is present, must not specify ${name}`));
    }
    if (ofAllResources.has(subresource)) {
      causes.push(invalidValue(path, name, `if '*/${subresource}' is present, must not specify ${name}`));
    }
    if (subresource === "*") withAllSubresources.add(resource);
    if (resource === "*") ofAllResources.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    causes.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes("*") && endsPlain) {
    const why = "if '*' is present, must not specify other resources without subresources";
    causes.push(invalidValue(field, resources, why));
  }
  return causes;
}

export function checkRule(rule: Rule, path: string): StatusCause[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const causes = operations.length === 0 ? [required(`${path}.operations`)] : [];
  causes.push(...checkWildcard(operations, `${path}.operations`, "operations"));
  for (const [i, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) causes.push(notSupported(`${path}.operations[${i}]`, operation, OPERATIONS));
  }
  if (apiGroups.length === 0) causes.push(required(`${path}.apiGroups`));
  causes.push(...checkWildcard(apiGroups, `${path}.apiGroups`, "API groups"));
  if (apiVersions.length === 0) causes.push(required(`${path}.apiVersions`));
  causes.push(...checkWildcard(apiVersions, `${path}.apiVersions`, "API versions"));
  for (const [i, version] of apiVersions.entries()) {
    if (version === "") causes.push(required(`${path}.apiVersions[${i}]`));
  }
  causes.push(...checkResources(resources, `${path}.resources`));
  if (scope !== undefined && !SCOPES.includes(scope)) causes.push(notSupported(`${path}.scope`, scope, SCOPES));
  return causes;
}

/** A rule of a policy, which may be about single objects. */
export function checkNamedRule(rule: Rule, path: string): StatusCause[] {
  const seen = new Set<string>();
  const causes = (rule.resourceNames ?? []).flatMap((name, i) => {
    const field = `${path}.resourceNames[${i}]`;
    const found = invalidEach(field, name, checkPathSegment(name));
    if (seen.has(name)) found.push(duplicate(field, name));
    seen.add(name);
    return found;
  });
  return [...causes, ...checkRule(rule, path)];
}
