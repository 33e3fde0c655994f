import { invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkPathSegment, nameIsPathSegment } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RbacV1Subject,
  Role,
  RoleBinding,
} from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector } from "../label-selector.ts";
import type { Strategy } from "../strategy.ts";

const GROUP = "rbac.authorization.k8s.io";

function checkRule(rule: PolicyRule, path: string, namespaced: boolean): StatusCause[] {
  const { verbs, nonResourceURLs: urls, apiGroups, resources, resourceNames } = rule;
  const isEmpty = (list: string[] | undefined) => (list ?? []).length === 0;
  const causes = isEmpty(verbs) ? [required(`${path}.verbs`, "verbs must contain at least one value")] : [];
  if (!isEmpty(urls)) {
    const refuse = (detail: string) => causes.push(invalidValue(`${path}.nonResourceURLs`, urls, detail));
    if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
    if (!isEmpty(apiGroups) || !isEmpty(resources) || !isEmpty(resourceNames)) {
      refuse("rules cannot apply to both regular resources and non-resource URLs");
    }
    return causes;
  }
  if (isEmpty(apiGroups)) {
    causes.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (isEmpty(resources)) {
    causes.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  return causes;
}

const checkRules = (rules: PolicyRule[] | undefined, namespaced: boolean) =>
  (rules ?? []).flatMap((rule, i) => checkRule(rule, `rules[${i}]`, namespaced));

export const ROLE_STRATEGY: Strategy<Role> = {
  checksMetaAgain: true,
  nameRule: nameIsPathSegment,
  allowCreateOnUpdate: true,
  validate: ({ rules }) => checkRules(rules, true),
};

export const CLUSTER_ROLE_STRATEGY: Strategy<ClusterRole> = {
  checksMetaAgain: true,
  nameRule: nameIsPathSegment,
  allowCreateOnUpdate: true,
  validate: ({ rules, aggregationRule }) => {
    const causes = checkRules(rules, false);
    if (!aggregationRule) return causes;
    const field = "aggregationRule.clusterRoleSelectors";
    const selectors = aggregationRule.clusterRoleSelectors ?? [];
    if (selectors.length === 0) {
      causes.push(required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    }
    return [
      ...causes,
      ...selectors.flatMap((selector, i) => {
        const wrong = checkLabelSelector(selector, `${field}[${i}]`);
        return wrong.length === 0 ? [] : [...wrong, invalidValue(`${field}[${i}]`, null, "invalid label selector.")];
      }),
    ];
  },
};

function checkSubject(subject: RbacV1Subject, path: string, namespaced: boolean): StatusCause[] {
  const { kind, name, namespace, apiGroup = "" } = subject;
  const causes = name ? [] : [required(`${path}.name`)];
  if (kind === "ServiceAccount") {
    const messages = name ? checkDns1123Subdomain(name) : [];
    causes.push(...messages.map((message) => invalidValue(`${path}.name`, name, message)));
    if (apiGroup !== "") causes.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
    if (!namespaced && !namespace) causes.push(required(`${path}.namespace`));
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== GROUP) causes.push(notSupported(`${path}.apiGroup`, apiGroup, [GROUP]));
  } else causes.push(notSupported(`${path}.kind`, kind ?? "", ["ServiceAccount", "User", "Group"]));
  return causes;
}

type AnyBinding = Pick<RoleBinding, "metadata" | "roleRef" | "subjects">;

function applyBindingDefaults({ roleRef, subjects }: AnyBinding): void {
  if (roleRef) roleRef.apiGroup ||= GROUP;
  for (const subject of subjects ?? []) {
    if (!subject.apiGroup && (subject.kind === "User" || subject.kind === "Group")) subject.apiGroup = GROUP;
  }
}

function checkBinding({ roleRef, subjects }: AnyBinding, namespaced: boolean): StatusCause[] {
  const { apiGroup = "", kind = "", name = "" } = roleRef ?? {};
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const causes = apiGroup === GROUP ? [] : [notSupported("roleRef.apiGroup", apiGroup, [GROUP])];
  if (!kinds.includes(kind)) causes.push(notSupported("roleRef.kind", kind, kinds));
  if (name === "") causes.push(required("roleRef.name"));
  else causes.push(...checkPathSegment(name).map((message) => invalidValue("roleRef.name", name, message)));
  return [...causes, ...(subjects ?? []).flatMap((subject, i) => checkSubject(subject, `subjects[${i}]`, namespaced))];
}

function bindingStrategy<T extends RoleBinding | ClusterRoleBinding>(namespaced: boolean): Strategy<T> {
  return {
    nameRule: nameIsPathSegment,
    allowCreateOnUpdate: true,
    checksMetaAgain: true,
    applyDefaults: applyBindingDefaults,
    validate: (binding) => checkBinding(binding, namespaced),
    validateUpdate: (binding, old) => {
      const { apiGroup: APIGroup = "", kind: Kind = "", name: Name = "" } = binding.roleRef ?? {};
      return [
        ...checkBinding(binding, namespaced),
        ...(isEqual(binding.roleRef, old.roleRef)
          ? []
          : [invalidValue("roleRef", { APIGroup, Kind, Name }, "cannot change roleRef")]),
      ];
    },
  };
}

export const ROLE_BINDING_STRATEGY = bindingStrategy<RoleBinding>(true);
export const CLUSTER_ROLE_BINDING_STRATEGY = bindingStrategy<ClusterRoleBinding>(false);
