import {
  duplicate,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  LabelSelector,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  Toleration,
  TopologySpreadConstraint,
} from "../../../../shared/api/types.ts";
import { checkLabelSelector } from "../label-selector.ts";
import type { PodCheck } from "./context.ts";

/** `values` of a requirement against its operator. */
function checkValues(operator: string | undefined, values: string[], field: string): StatusCause[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [fieldForbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return values.length === 1
        ? []
        : [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, operator ?? "", "not a valid selector operator")];
  }
}

function checkNodeRequirement(requirement: NodeSelectorRequirement, field: string, anyValue: boolean): StatusCause[] {
  const { key = "", operator, values = [] } = requirement;
  const causes = checkValues(operator, values, field);
  causes.push(...invalidEach(`${field}.key`, key, checkQualifiedName(key)));
  if (!anyValue) {
    for (const [index, value] of values.entries()) {
      causes.push(...invalidEach(`${field}.values[${index}]`, value, checkLabelValue(value)));
    }
  }
  return causes;
}

function checkNodeField({ key = "", operator, values = [] }: NodeSelectorRequirement, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    causes.push(invalidValue(`${field}.operator`, operator ?? "", "not a valid selector operator"));
  } else if (values.length !== 1) {
    causes.push(
      required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  if (key !== "metadata.name") {
    causes.push(invalidValue(`${field}.key`, key, "not a valid field selector key"));
    return causes;
  }
  for (const [index, value] of values.entries()) {
    causes.push(...invalidEach(`${field}.values[${index}]`, value, checkDns1123Subdomain(value)));
  }
  return causes;
}

/** `anyValue`: label values are not checked (preferences, old objects). */
export function checkNodeSelectorTerm(term: NodeSelectorTerm, path: string, anyValue: boolean): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const [index, requirement] of (term.matchExpressions ?? []).entries()) {
    causes.push(...checkNodeRequirement(requirement, `${path}.matchExpressions[${index}]`, anyValue));
  }
  for (const [index, requirement] of (term.matchFields ?? []).entries()) {
    causes.push(...checkNodeField(requirement, `${path}.matchFields[${index}]`));
  }
  return causes;
}

export function checkNodeSelector(selector: NodeSelector, path: string, anyValue = false): StatusCause[] {
  const field = `${path}.nodeSelectorTerms`;
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(field, "must have at least one node selector term")];
  return terms.flatMap((term, index) => checkNodeSelectorTerm(term, `${field}[${index}]`, anyValue));
}

const checkWeight = (weight: number | undefined, path: string): StatusCause[] =>
  weight !== undefined && weight >= 1 && weight <= 100
    ? []
    : [invalidValue(`${path}.weight`, weight ?? 0, "must be in the range 1-100")];

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function checkLabelKeys(keys: string[], selector: LabelSelector | undefined, field: string): StatusCause[] {
  if (keys.length === 0) return [];
  if (!selector) return [fieldForbidden(field, "must not be specified when labelSelector is not set")];
  return keys.flatMap((key, index) => invalidEach(`${field}[${index}]`, key, checkQualifiedName(key)));
}

interface LabelKeys {
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  labelSelector?: LabelSelector;
}

function checkMatchLabelKeys({ matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: LabelKeys, path: string) {
  const causes = [
    ...checkLabelKeys(matchLabelKeys, labelSelector, `${path}.matchLabelKeys`),
    ...checkLabelKeys(mismatchLabelKeys, labelSelector, `${path}.mismatchLabelKeys`),
  ];
  // One expression per key is expected: the one that the server itself has merged in.
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key)) {
      causes.push(invalidValue(`${path}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
    selected.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (mismatchLabelKeys.includes(key)) {
      causes.push(
        invalidValue(`${path}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"),
      );
    }
  }
  return causes;
}

function checkPodAffinityTerm(term: PodAffinityTerm, path: string, anyValue: boolean): StatusCause[] {
  const topologyKey = term.topologyKey ?? "";
  return [
    ...checkLabelSelector(term.labelSelector, `${path}.labelSelector`, anyValue),
    ...checkLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`, anyValue),
    ...(term.namespaces ?? []).flatMap((name) => invalidEach(`${path}.namespace`, name, checkDns1123Label(name))),
    ...checkMatchLabelKeys(term, path),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...invalidEach(`${path}.topologyKey`, topologyKey, checkQualifiedName(topologyKey)),
  ];
}

function checkPodTerms(affinity: PodAffinity | PodAntiAffinity, path: string, anyValue: boolean): StatusCause[] {
  return [
    ...(affinity[REQUIRED] ?? []).flatMap((term, index) =>
      checkPodAffinityTerm(term, `${path}.${REQUIRED}[${index}]`, anyValue),
    ),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, index) => {
      const field = `${path}.${PREFERRED}[${index}]`;
      return [
        ...checkWeight(weight, field),
        ...checkPodAffinityTerm(podAffinityTerm ?? {}, `${field}.podAffinityTerm`, anyValue),
      ];
    }),
  ];
}

export function checkAffinity({ causes, spec, tolerate }: PodCheck, path: string): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const anyValue = tolerate.labelValuesInSelectors ?? false;
  if (nodeAffinity) {
    const field = `${path}.nodeAffinity`;
    const needed = nodeAffinity[REQUIRED];
    if (needed) causes.push(...checkNodeSelector(needed, `${field}.${REQUIRED}`, anyValue));
    for (const [index, { weight, preference }] of (nodeAffinity[PREFERRED] ?? []).entries()) {
      const term = `${field}.${PREFERRED}[${index}]`;
      causes.push(...checkWeight(weight, term), ...checkNodeSelectorTerm(preference ?? {}, `${term}.preference`, true));
    }
  }
  if (podAffinity) causes.push(...checkPodTerms(podAffinity, `${path}.podAffinity`, anyValue));
  if (podAntiAffinity) causes.push(...checkPodTerms(podAntiAffinity, `${path}.podAntiAffinity`, anyValue));
}

const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** The effect of a taint, or of a toleration that names one. */
export const checkTaintEffect = (effect: string, field: string): StatusCause[] =>
  TAINT_EFFECTS.includes(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];

export function checkTolerations(tolerations: Toleration[] | undefined, path: string): StatusCause[] {
  return (tolerations ?? []).flatMap((toleration, index) => checkToleration(toleration, `${path}[${index}]`));
}

function checkToleration(toleration: Toleration, path: string): StatusCause[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const causes = key === "" ? [] : invalidEach(`${path}.key`, key, checkQualifiedName(key));
  if (key === "" && operator !== "Exists") {
    causes.push(
      invalidValue(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    causes.push(invalidValue(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  switch (operator) {
    case "":
    case "Equal": {
      const messages = checkLabelValue(value);
      if (messages.length > 0) causes.push(invalidValue(`${path}.operator`, value, messages.join(";")));
      break;
    }
    case "Exists":
      if (value !== "") {
        causes.push(invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
      }
      break;
    case "Lt":
    case "Gt":
      // Behind a feature gate that is off in 1.36.
      causes.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"]));
      break;
    default:
      causes.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists"]));
  }
  if (effect !== "") causes.push(...checkTaintEffect(effect, `${path}.effect`));
  return causes;
}

const SPREAD_ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];
const NODE_POLICIES = ["Honor", "Ignore"];

export function checkTopologySpread(constraints: TopologySpreadConstraint[] | undefined, path: string): StatusCause[] {
  return (constraints ?? []).flatMap((constraint, index, all) => {
    const field = `${path}[${index}]`;
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable: action = "", minDomains } = constraint;
    const causes: StatusCause[] = [];
    if (maxSkew <= 0) causes.push(invalidValue(`${field}.maxSkew`, maxSkew, "must be greater than zero"));
    if (topologyKey === "") causes.push(required(`${field}.topologyKey`, "can not be empty"));
    if (!SPREAD_ACTIONS.includes(action)) {
      causes.push(notSupported(`${field}.whenUnsatisfiable`, action, SPREAD_ACTIONS));
    }
    const repeated = all
      .slice(index + 1)
      .some((other) => (other.topologyKey ?? "") === topologyKey && (other.whenUnsatisfiable ?? "") === action);
    if (repeated) {
      causes.push(duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`));
    }
    if (minDomains !== undefined) {
      const minField = `${field}.minDomains`;
      if (minDomains <= 0) causes.push(invalidValue(minField, minDomains, "must be greater than zero"));
      if (action !== "DoNotSchedule") {
        const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
        causes.push(invalidValue(minField, minDomains, why));
      }
    }
    for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = constraint[name];
      if (policy !== undefined && !NODE_POLICIES.includes(policy)) {
        causes.push(notSupported(`${field}.${name}`, policy, NODE_POLICIES));
      }
    }
    causes.push(
      ...checkMatchLabelKeys(constraint, field),
      ...checkLabelSelector(constraint.labelSelector, `${field}.labelSelector`),
    );
    return causes;
  });
}
