import { duplicate, fieldForbidden, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { LimitRange, LimitRangeItem } from "../../../../shared/api/types.ts";
import { checkContainerResourceName, checkResourceName, isHugePages, isNativeResource } from "../pod-spec/resources.ts";
import type { Strategy } from "../strategy.ts";

const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];
const LISTS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
const ONE = parseQuantity("1");

/** A container gets what it may have at most, and asks for what it gets. */
function applyItemDefaults(item: LimitRangeItem): void {
  if (item.type !== "Container") return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function checkType(type: string, field: string): StatusCause[] {
  const messages = checkQualifiedName(type);
  if (messages.length > 0) return messages.map((message) => invalidValue(field, type, message));
  return type.includes("/") || TYPES.includes(type)
    ? []
    : [invalidValue(field, type, "must be a standard limit type or fully qualified")];
}

/** Bounds of one resource against each other. Quotients are compared, so that no unit matters. */
function checkBounds(item: LimitRangeItem, name: string, path: string): StatusCause[] {
  const amount = (list: (typeof LISTS)[number]) => item[list]?.[name];
  const causes: StatusCause[] = [];
  const isLess = (a: string | undefined, b: string | undefined) =>
    a !== undefined && b !== undefined && compareQuantities(parseQuantity(a), parseQuantity(b)) < 0;
  const [min, max, limit] = [amount("min"), amount("max"), amount("default")];
  const [request, ratio] = [amount("defaultRequest"), amount("maxLimitRequestRatio")];
  const refuse = (list: string, value: unknown, detail: string) =>
    causes.push(invalidValue(`${path}.${list}[${name}]`, value, detail));
  if (isLess(max, min)) refuse("min", min, `min value ${min} is greater than max value ${max}`);
  if (isLess(request, min)) {
    refuse("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  }
  if (isLess(max, request)) {
    refuse("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  }
  if (isLess(limit, request)) {
    refuse("defaultRequest", request, `default request value ${request} is greater than default limit value ${limit}`);
  }
  if (isLess(limit, min)) refuse("default", min, `min value ${min} is greater than default value ${limit}`);
  if (isLess(max, limit)) refuse("default", max, `default value ${limit} is greater than max value ${max}`);
  if (ratio !== undefined) {
    if (compareQuantities(parseQuantity(ratio), ONE) < 0) {
      refuse("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
    }
    if (min !== undefined && max !== undefined) {
      const bound = toNumber(parseQuantity(max)) / toNumber(parseQuantity(min));
      if (toNumber(parseQuantity(ratio)) > bound) {
        refuse("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`);
      }
    }
  }
  const mayOvercommit = isNativeResource(name) && !isHugePages(name);
  if (
    !mayOvercommit &&
    limit !== undefined &&
    request !== undefined &&
    (isLess(limit, request) || isLess(request, limit))
  ) {
    refuse(
      "defaultRequest",
      request,
      `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
    );
  }
  return causes;
}

const toNumber = ({ nanos }: Quantity) => Number(nanos) / 1e9;

function checkItem(item: LimitRangeItem, path: string, seen: Set<string>): StatusCause[] {
  const { type } = item;
  const causes = checkType(type, `${path}.type`);
  if (seen.has(type)) causes.push(duplicate(`${path}.type`, type));
  seen.add(type);
  const names = new Set<string>();
  const checkName = type === "Pod" || type === "Container" ? checkContainerResourceName : checkResourceName;
  for (const list of LISTS) {
    const given = Object.keys(item[list] ?? {});
    if (type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (given.length > 0) causes.push(fieldForbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    if (
      list === "maxLimitRequestRatio" &&
      type === "PersistentVolumeClaim" &&
      !item.min?.storage &&
      !item.max?.storage
    ) {
      const detail = "either minimum or maximum storage value is required, but neither was provided";
      causes.push(required(`${path}.limits`, detail));
    }
    for (const name of given) {
      names.add(name);
      causes.push(...checkName(name, `${path}.${list}[${name}]`));
    }
  }
  return [...causes, ...[...names].flatMap((name) => checkBounds(item, name, path))];
}

export const LIMIT_RANGE_STRATEGY: Strategy<LimitRange> = {
  checksMetaAgain: true,
  checksMetaUpdateOnce: true,
  allowCreateOnUpdate: true,
  // Without a name it gets one: any text that nothing else has.
  prepareForCreate: ({ metadata }) => {
    metadata.name ||= metadata.uid ?? "";
  },
  applyDefaults: ({ spec }) => {
    for (const item of spec?.limits ?? []) applyItemDefaults(item);
  },
  validate: ({ spec }) => {
    const seen = new Set<string>();
    return (spec?.limits ?? []).flatMap((item, i) => checkItem(item, `spec.limits[${i}]`, seen));
  },
};
