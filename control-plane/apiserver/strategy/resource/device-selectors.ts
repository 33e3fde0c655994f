import {
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../../../shared/api/field-error.ts";
import {
  checkCIdentifier,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { checkCel } from "../cel/check.ts";

const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_PARAMETERS_BYTES = 10 * 1024;
const MAX_DRIVER_NAME = 63;
const MAX_ID = 32;
const TAINT_EFFECTS = ["NoExecute", "NoSchedule", "None"];
const OPERATORS = ["Equal", "Exists"];

/** Drivers are named as CSI drivers are. */
export function checkDriver(name: string, field: string): StatusCause[] {
  if (name === "") return [required(field)];
  return [
    ...(name.length > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
    ...invalidEach(field, name, checkDns1123Subdomain(name.toLowerCase())),
  ];
}

/** `list` checked item by item, but not at all when it is too long. */
export function checkBounded<T>(
  list: readonly T[] | null | undefined,
  field: string,
  maxItems: number,
  check: (item: T, path: string) => StatusCause[],
): StatusCause[] {
  const items = list ?? [];
  if (items.length > maxItems) return [tooMany(field, items.length, maxItems)];
  return items.flatMap((item, i) => check(item, `${field}[${i}]`));
}

interface Selector {
  cel?: { expression?: string };
}

function checkSelector({ cel }: Selector, path: string): StatusCause[] {
  if (!cel) return [required(`${path}.cel`)];
  const { expression = "" } = cel;
  const field = `${path}.cel.expression`;
  if (utf8Length(expression) > MAX_EXPRESSION_BYTES) return [tooLong(field, MAX_EXPRESSION_BYTES)];
  return checkCel(expression, field, {
    roots: ["device", "cel"],
    // A claim may have thousands of selectors: what is said of each is in proportion to it.
    budget: { left: 4000 + 4 * expression.length },
    wanted: { types: ["bool"], message: (got) => `must evaluate to bool or the unknown type, not ${got}` },
  });
}

export const checkSelectors = (selectors: Selector[] | undefined, field: string): StatusCause[] =>
  checkBounded(selectors, field, MAX_SELECTORS, checkSelector);

interface Configuration {
  opaque?: { driver?: string; parameters?: unknown };
}

/** What is handed to a driver unread: any JSON object. */
export function checkConfiguration({ opaque }: Configuration, path: string): StatusCause[] {
  if (!opaque) return [required(`${path}.opaque`)];
  const { driver = "", parameters } = opaque;
  const field = `${path}.opaque.parameters`;
  const causes = checkDriver(driver, `${path}.opaque.driver`);
  if (parameters === undefined || parameters === null) return [...causes, required(field)];
  if (utf8Length(JSON.stringify(parameters)) > MAX_PARAMETERS_BYTES)
    return [...causes, tooLong(field, MAX_PARAMETERS_BYTES)];
  const isObject = typeof parameters === "object" && !Array.isArray(parameters);
  return isObject ? causes : [...causes, invalidValue(field, "<value omitted>", "must be a valid JSON object")];
}

const checkEffect = (effect: string, field: string): StatusCause[] =>
  TAINT_EFFECTS.includes(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

export function checkDeviceToleration(toleration: Toleration, path: string): StatusCause[] {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  const causes = key === "" ? [] : invalidEach(`${path}.key`, key, checkQualifiedName(key));
  if (operator === "") causes.push(required(`${path}.operator`));
  else if (!OPERATORS.includes(operator)) causes.push(notSupported(`${path}.operator`, operator, OPERATORS));
  else if (operator === "Equal") causes.push(...invalidEach(`${path}.value`, value, checkLabelValue(value)));
  else if (value !== "") causes.push(invalidValue(`${path}.value`, value, "must be empty for operator `Exists`"));
  return effect === "" ? causes : [...causes, ...checkEffect(effect, `${path}.effect`)];
}

export function checkDeviceTaint({ key = "", value = "", effect = "" }: Toleration, path: string): StatusCause[] {
  const causes = invalidEach(`${path}.key`, key, checkQualifiedName(key));
  causes.push(...invalidEach(`${path}.value`, value, checkLabelValue(value)));
  return [...causes, ...(effect === "" ? [required(`${path}.effect`)] : checkEffect(effect, `${path}.effect`))];
}

function checkId(id: string, field: string): StatusCause[] {
  const causes = id.length > MAX_ID ? [tooLong(field, MAX_ID)] : [];
  return [...causes, ...invalidEach(field, id, checkCIdentifier(id))];
}

/** A name of an attribute or a capacity: with the driver's domain before a slash, or without. */
export function checkAttributeName(name: string, field: string): StatusCause[] {
  const [domain = "", id] = name.split("/");
  if (id === undefined) return checkId(domain, field);
  // Upstream lets any further slash through.
  if (name.split("/").length > 2) return [];
  return [
    ...(domain === "" ? [invalidValue(field, "", "the domain must not be empty")] : checkDriver(domain, field)),
    ...(id === "" ? [invalidValue(field, "", "the name must not be empty")] : checkId(id, field)),
  ];
}

export const checkFullAttributeName = (name: string, field: string): StatusCause[] => [
  ...checkAttributeName(name, field),
  ...(name.includes("/")
    ? []
    : [invalidValue(field, name, "a fully qualified name must be a domain and a name separated by a slash")]),
];
