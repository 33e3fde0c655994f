import { FIELD_IMMUTABLE, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ResourceQuota, ResourceQuotaSpec } from "../../../../shared/api/types.ts";
import { checkResourceName, checkResourceQuantity } from "../pod-spec/resources.ts";
import type { Strategy } from "../strategy.ts";

const COMPUTE = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const STANDARD = [
  ...COMPUTE,
  "ephemeral-storage",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
];
/** What a scope can be asked about. */
const SCOPES: Record<string, string[]> = {
  Terminating: ["pods", ...COMPUTE],
  NotTerminating: ["pods", ...COMPUTE],
  NotBestEffort: ["pods", ...COMPUTE],
  PriorityClass: ["pods", ...COMPUTE],
  CrossNamespacePodAffinity: ["pods", ...COMPUTE],
  BestEffort: ["pods"],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
/** Scopes without values. */
const EXISTS_ONLY = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"];
const CONFLICTS = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

const isStandard = (name: string) => STANDARD.includes(name) || /^(requests\.)?hugepages-/.test(name);

function checkAmounts(amounts: Record<string, string> | undefined, path: string): StatusCause[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    return [
      ...checkResourceName(name, field),
      ...(name.includes("/") || isStandard(name)
        ? []
        : [invalidValue(field, name, "must be a standard resource for quota")]),
      ...checkResourceQuantity(name, parseQuantity(amount), field),
    ];
  });
}

const misfits = (scope: string, hard: string[]) =>
  hard.filter((name) => isStandard(name) && SCOPES[scope] && !SCOPES[scope].includes(name));

function checkScopes({ scopes = [], hard = {} }: ResourceQuotaSpec): StatusCause[] {
  const causes: StatusCause[] = [];
  const refuse = (detail: string) => causes.push(invalidValue("spec.scopes", scopes, detail));
  for (const scope of scopes) {
    if (!Object.hasOwn(SCOPES, scope)) refuse("unsupported scope");
    for (const _name of misfits(scope, Object.keys(hard))) refuse("unsupported scope applied to resource");
  }
  for (const pair of CONFLICTS) if (pair.every((scope) => scopes.includes(scope))) refuse("conflicting scopes");
  return causes;
}

function checkScopeSelector({ scopes, scopeSelector, hard = {} }: ResourceQuotaSpec): StatusCause[] {
  const path = "spec.scopeSelector.matchExpressions";
  const requirements = scopeSelector?.matchExpressions ?? [];
  const causes: StatusCause[] = [];
  for (const { scopeName, operator, values = [] } of requirements) {
    if (!Object.hasOwn(SCOPES, scopeName))
      causes.push(invalidValue(`${path}.scopeName`, scopeName, "unsupported scope"));
    for (const _name of misfits(scopeName, Object.keys(hard))) {
      const printed = {
        MatchExpressions: requirements.map((item) => ({
          ScopeName: item.scopeName,
          Operator: item.operator,
          Values: item.values ?? null,
        })),
      };
      causes.push(invalidValue(path, printed, "unsupported scope applied to resource"));
    }
    if (EXISTS_ONLY.includes(scopeName) && operator !== "Exists") {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      causes.push(invalidValue(`${path}.operator`, operator, detail));
    }
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        causes.push(required(`${path}.values`, detail));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
        causes.push(invalidValue(`${path}.values`, values, detail));
      }
    } else causes.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  }
  const names = requirements.map(({ scopeName }) => scopeName);
  for (const pair of CONFLICTS) {
    if (pair.every((scope) => names.includes(scope))) {
      causes.push(invalidValue(path, scopes ?? null, "conflicting scopes"));
    }
  }
  return causes;
}

const checkSpec = (spec: ResourceQuotaSpec = {}) => [
  ...checkAmounts(spec.hard, "spec.hard"),
  ...checkScopes(spec),
  ...checkScopeSelector(spec),
];

export const RESOURCE_QUOTA_STRATEGY: Strategy<ResourceQuota> = {
  validate: ({ spec }) => checkSpec(spec),
  validateUpdate: ({ spec }, old) => {
    const sorted = (scopes: string[] | undefined) => [...new Set(scopes)].sort().join();
    return [
      ...checkSpec(spec),
      ...(sorted(spec?.scopes) === sorted(old.spec?.scopes)
        ? []
        : [invalidValue("spec.scopes", spec?.scopes ?? null, FIELD_IMMUTABLE)]),
    ];
  },
  validateStatusUpdate: ({ status }) => [
    ...checkAmounts(status?.hard, "status.hard"),
    ...checkAmounts(status?.used, "status.used"),
  ],
};
