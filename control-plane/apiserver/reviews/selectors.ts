import { fieldForbidden, invalidEach, invalidValue, required } from "../../../shared/api/field-error.ts";
import { parseFieldSelector } from "../../../shared/api/field-selector.ts";
import { checkLabelValue, checkQualifiedName } from "../../../shared/api/names.ts";
import { parseLabelSelector } from "../../../shared/api/selector.ts";
import { ApiError, type StatusCause } from "../../../shared/api/status.ts";

/** One requirement of a field or label selector in a question about access. */
export interface Requirement {
  key?: string;
  operator?: string;
  values?: string[];
}

/** A selector as text, or as requirements. */
export interface SelectorAttributes {
  rawSelector?: string;
  requirements?: Requirement[];
}

interface Selectors {
  fieldSelector?: SelectorAttributes;
  labelSelector?: SelectorAttributes;
}

/** Operators nobody knows yet are let through: whoever decides leaves them out, and so asks for more. */
function checkValues({ operator = "", values = [] }: Requirement, path: string): StatusCause[] {
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    return [fieldForbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
}

const checkFieldRequirement = (requirement: Requirement, path: string): StatusCause[] => [
  ...(requirement.key ? [] : [required(`${path}.key`, "must be specified")]),
  ...checkValues(requirement, path),
];

function checkLabelRequirement(requirement: Requirement, path: string): StatusCause[] {
  const { key = "", values = [] } = requirement;
  return [
    ...checkValues(requirement, path),
    ...invalidEach(`${path}.key`, key, checkQualifiedName(key)),
    ...values.flatMap((value, i) => invalidEach(`${path}.values[${i}]`, value, checkLabelValue(value))),
  ];
}

function checkSelector(
  selector: SelectorAttributes | undefined,
  path: string,
  checkRequirement: (requirement: Requirement, path: string) => StatusCause[],
): StatusCause[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  const causes: StatusCause[] = [];
  if (rawSelector !== "" && requirements.length > 0) {
    const why = "may not specified at the same time as requirements";
    causes.push(invalidValue(`${path}.rawSelector`, rawSelector, why));
  }
  if (rawSelector === "" && requirements.length === 0) {
    const why = `when ${path} is specified, requirements or rawSelector is required`;
    causes.push(required(`${path}.requirements`, why));
  }
  return [
    ...causes,
    ...requirements.flatMap((requirement, i) => checkRequirement(requirement, `${path}.requirements[${i}]`)),
  ];
}

/** What is wrong with the selectors of `path`, the resourceAttributes of a question. */
export const checkSelectors = ({ fieldSelector, labelSelector }: Selectors, path: string): StatusCause[] => [
  ...checkSelector(fieldSelector, `${path}.fieldSelector`, checkFieldRequirement),
  ...checkSelector(labelSelector, `${path}.labelSelector`, checkLabelRequirement),
];

const LABEL_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"];

const isParsed = (parse: (text: string) => unknown, text: string): boolean => {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
};

/** Whether all of a selector is understood, some of it, or nothing. */
function understood(
  { rawSelector = "", requirements = [] }: SelectorAttributes,
  parse: (text: string) => unknown,
  isKnown: (requirement: Requirement) => boolean,
): "all" | "some" | "none" {
  if (rawSelector !== "" && !isParsed(parse, rawSelector)) return "none";
  const known = requirements.filter(isKnown).length;
  if (known === requirements.length) return "all";
  return known > 0 ? "some" : "none";
}

/** What is left out of valid selectors because nobody understands it, for status.evaluationError; empty: nothing. */
export function printIgnored({ fieldSelector = {}, labelSelector = {} }: Selectors): string {
  const found = {
    fieldSelector: understood(
      fieldSelector,
      parseFieldSelector,
      ({ operator = "", values = [] }) => values.length === 1 && (operator === "In" || operator === "NotIn"),
    ),
    labelSelector: understood(labelSelector, parseLabelSelector, ({ operator = "" }) =>
      LABEL_OPERATORS.includes(operator),
    ),
  };
  return Object.entries(found)
    .filter(([, part]) => part !== "all")
    .map(([name, part]) => {
      const how = part === "some" ? "partially ignored" : "ignored";
      return `spec.resourceAttributes.${name} ${how} due to parse error`;
    })
    .join("; ");
}
