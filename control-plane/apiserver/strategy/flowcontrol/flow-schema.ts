import {
  duplicate,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { FlowSchema } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";
import { MANDATORY_SCHEMAS } from "./built-in.ts";

type Spec = NonNullable<FlowSchema["spec"]>;
type Rules = NonNullable<Spec["rules"]>[number];
type Subject = Rules["subjects"][number];
type ResourceRule = NonNullable<Rules["resourceRules"]>[number];
type NonResourceRule = NonNullable<Rules["nonResourceRules"]>[number];

const MAX_PRECEDENCE = 10_000;
const DISTINGUISHERS = ["ByNamespace", "ByUser"];
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
/** By kind: the field that a subject of the kind has, in upstream's order of complaints. */
const SUBJECT_FIELDS = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
type SubjectKind = keyof typeof SUBJECT_FIELDS;
const SUBJECT_KINDS = Object.keys(SUBJECT_FIELDS).sort();

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(SUBJECT_FIELDS, kind);

/** One word stands for every word: there is nothing to add to it. */
const checkWildcard = (values: string[], field: string, what: string): StatusCause[] =>
  values.length > 1 && values.includes("*")
    ? [invalidValue(field, values, `if '*' is present, must not specify other ${what}`)]
    : [];

function checkServiceAccount({ namespace = "", name = "" }: { namespace?: string; name?: string }, path: string) {
  const causes = name === "" ? [required(`${path}.name`)] : [];
  if (name !== "" && name !== "*") causes.push(...invalidEach(`${path}.name`, name, checkDns1123Subdomain(name)));
  if (namespace === "") causes.push(required(`${path}.namespace`, "must specify namespace for service account"));
  else causes.push(...invalidEach(`${path}.namespace`, namespace, checkDns1123Label(namespace)));
  return causes;
}

function checkSubject(subject: Subject, path: string): StatusCause[] {
  const { kind = "" } = subject;
  if (!isSubjectKind(kind)) return [notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  const field = SUBJECT_FIELDS[kind];
  const causes: StatusCause[] = [];
  if (!subject[field]) causes.push(required(`${path}.${field}`, `${field} is required when subject kind is '${kind}'`));
  else if (kind === "ServiceAccount")
    causes.push(...checkServiceAccount(subject.serviceAccount ?? {}, `${path}.${field}`));
  else if (!subject[field].name) causes.push(required(`${path}.${field}.name`));
  for (const [otherKind, other] of Object.entries(SUBJECT_FIELDS)) {
    if (other === field || subject[other] === undefined) continue;
    causes.push(fieldForbidden(`${path}.${other}`, `${other} is forbidden when subject kind is not '${otherKind}'`));
  }
  return causes;
}

function checkVerbs(verbs: string[], field: string): StatusCause[] {
  if (verbs.length === 0) return [required(field, "verbs must contain at least one value")];
  if (verbs.includes("*")) return checkWildcard(verbs, field, "verbs");
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(field, verbs, VERBS)];
}

function whyNotUrl(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const stars = path.split("*").length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined;
}

function checkNonResourceRule(rule: NonResourceRule, path: string): StatusCause[] {
  const urls = rule.nonResourceURLs ?? [];
  const causes = checkVerbs(rule.verbs ?? [], `${path}.verbs`);
  const field = `${path}.nonResourceURLs`;
  if (urls.length === 0) return [...causes, required(field, "nonResourceURLs must contain at least one value")];
  if (urls.includes("*")) return [...causes, ...checkWildcard(urls, field, "non-resource URLs")];
  for (const [i, url] of urls.entries()) {
    const why = whyNotUrl(url);
    if (why !== undefined) causes.push(invalidValue(`${field}[${i}]`, url, why));
  }
  return causes;
}

function checkNamespaces({ clusterScope = false, ...rule }: ResourceRule, field: string): StatusCause[] {
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0 && !clusterScope) {
    return [required(field, "resource rules that are not cluster scoped must supply at least one namespace")];
  }
  if (namespaces.includes("*")) return checkWildcard(namespaces, field, "namespaces");
  const hint = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((name, i) =>
    checkDns1123Label(name).map((message) => invalidValue(`${field}[${i}]`, name, hint + message)),
  );
}

function checkResourceRule(rule: ResourceRule, path: string): StatusCause[] {
  const apiGroups = rule.apiGroups ?? [];
  const resources = rule.resources ?? [];
  const groupsField = `${path}.apiGroups`;
  const resourcesField = `${path}.resources`;
  return [
    ...checkVerbs(rule.verbs ?? [], `${path}.verbs`),
    ...(apiGroups.length === 0
      ? [required(groupsField, "resource rules must supply at least one api group")]
      : checkWildcard(apiGroups, groupsField, "api groups")),
    ...(resources.length === 0
      ? [required(resourcesField, "resource rules must supply at least one resource")]
      : checkWildcard(resources, resourcesField, "resources")),
    ...checkNamespaces(rule, `${path}.namespaces`),
  ];
}

function checkRules({ resourceRules = [], nonResourceRules = [], ...rules }: Rules, path: string): StatusCause[] {
  // Null when it was sent empty: upstream always writes it.
  const subjects = rules.subjects ?? [];
  const causes = subjects.flatMap((subject, i) => checkSubject(subject, `${path}.subjects[${i}]`));
  if (subjects.length === 0) {
    causes.push(required(`${path}.subjects`, "subjects must contain at least one value"));
  }
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    causes.push(required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  return [
    ...causes,
    ...resourceRules.flatMap((rule, i) => checkResourceRule(rule, `${path}.resourceRules[${i}]`)),
    ...nonResourceRules.flatMap((rule, i) => checkNonResourceRule(rule, `${path}.nonResourceRules[${i}]`)),
  ];
}

function checkPrecedence(precedence: number, name: string): StatusCause[] {
  const field = "spec.matchingPrecedence";
  if (precedence <= 0) return [invalidValue(field, precedence, "must be a positive value")];
  if (precedence > MAX_PRECEDENCE)
    return [invalidValue(field, precedence, `must not be greater than ${MAX_PRECEDENCE}`)];
  return precedence === 1 && name !== "exempt"
    ? [invalidValue(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
    : [];
}

function checkSpec(name: string, spec: Spec): StatusCause[] {
  const { matchingPrecedence = 0, distinguisherMethod: method, priorityLevelConfiguration: level, rules = [] } = spec;
  const causes = checkPrecedence(matchingPrecedence, name);
  if (method && !DISTINGUISHERS.includes(method.type)) {
    // The value is printed as its Go type has it.
    causes.push(notSupported("spec.distinguisherMethod.type", { Type: method.type ?? "" }, DISTINGUISHERS));
  }
  const field = "spec.priorityLevelConfiguration.name";
  if (!level?.name) causes.push(required(field, "must reference a priority level"));
  else causes.push(...invalidEach(field, level.name, checkDns1123Subdomain(level.name)));
  return [...causes, ...rules.flatMap((rule, i) => checkRules(rule, `spec.rules[${i}]`))];
}

/** Conditions of a flow schema or a priority level. */
export function checkConditions(conditions: { type?: string }[] | undefined): StatusCause[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap(({ type = "" }, i) => {
    const field = `status.conditions[${i}].type`;
    const causes = seen.has(type) ? [duplicate(field, type)] : [];
    seen.add(type);
    return type === "" ? [...causes, required(field)] : causes;
  });
}

function checkFlowSchema({ metadata, spec, status }: FlowSchema): StatusCause[] {
  const causes = checkSpec(metadata.name, spec ?? ({} as Spec));
  const fixed = ownMember(MANDATORY_SCHEMAS, metadata.name);
  if (fixed && !isEqual(spec, fixed)) {
    causes.push(invalidValue("spec", spec, `spec of '${metadata.name}' must equal the fixed value`));
  }
  return [...causes, ...checkConditions(status?.conditions)];
}

export const FLOW_SCHEMA_STRATEGY: Strategy<FlowSchema> = {
  metaKeptFromStatus: "all",
  checksMetaAgain: true,
  applyDefaults: ({ spec }) => {
    if (spec && !spec.matchingPrecedence) spec.matchingPrecedence = 1000;
  },
  prepareForCreate: (schema) => {
    schema.status = {};
  },
  validate: checkFlowSchema,
  validateStatusUpdate: ({ status }) => checkConditions(status?.conditions),
};
