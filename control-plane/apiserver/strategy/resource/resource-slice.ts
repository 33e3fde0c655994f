import {
  duplicate,
  FIELD_IMMUTABLE,
  invalidEach,
  invalidValue,
  required,
  tooLong,
  tooMany,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { printTime } from "../../../../shared/api/timestamp.ts";
import type { NodeSelector, ResourceSlice } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { renderInternal } from "../internal-form/index.ts";
import { checkNodeSelector } from "../pod-spec/index.ts";
import type { Strategy } from "../strategy.ts";
import { checkBindingConditions } from "./binding-conditions.ts";
import { checkConsumptions, checkCounterSets } from "./counters.ts";
import { checkAttributeName, checkBounded, checkDeviceTaint, checkDriver } from "./device-selectors.ts";
import { type Capacity, checkCapacity } from "./request-policy.ts";

type Spec = ResourceSlice["spec"];
type Device = NonNullable<Spec["devices"]>[number];
type Attribute = NonNullable<Device["attributes"]>[string];

const MAX_POOL_NAME = 253;
const MAX_DEVICES = 128;
/** With taints or counters a device takes more room. */
const MAX_ELABORATE_DEVICES = 64;
const MAX_PROPERTIES = 32;
const MAX_TAINTS = 16;
const MAX_ATTRIBUTE_BYTES = 64;
/** semver.org, 2.0.0. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/** The name of a pool: one DNS subdomain or several, with slashes between. */
export function checkPoolName(name: string, field: string): StatusCause[] {
  if (name === "") return [required(field)];
  return [
    ...(name.length > MAX_POOL_NAME ? [tooLong(field, MAX_POOL_NAME)] : []),
    ...name.split("/").flatMap((part) => invalidEach(field, part, checkDns1123Subdomain(part))),
  ];
}

function checkPool({ name = "", resourceSliceCount = 0, generation = 0 }: Partial<Spec["pool"]>): StatusCause[] {
  const causes = checkPoolName(name, "spec.pool.name");
  if (resourceSliceCount <= 0) {
    causes.push(invalidValue("spec.pool.resourceSliceCount", resourceSliceCount, "must be greater than zero"));
  }
  if (generation < 0) {
    causes.push(invalidValue("spec.pool.generation", generation, "must be greater than or equal to zero"));
  }
  return causes;
}

interface Placement {
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  perDeviceNodeSelection?: boolean;
}

function checkOneTerm({ nodeSelectorTerms: terms }: NodeSelector, field: string): StatusCause[] {
  if (terms?.length === 1) return [];
  const printed = terms ? renderInternal(terms, "NodeSelectorTerm") : null;
  return [invalidValue(field, printed, "must have exactly one node selector term")];
}

/** Where the devices can be used from: the fields that are set, and what is wrong with each. */
function readPlacement(
  placement: Placement,
  path: string,
  { emptyName, hasOneTerm }: { emptyName: string; hasOneTerm: boolean },
): { set: string[]; causes: StatusCause[] } {
  const { nodeName, nodeSelector } = placement;
  const causes: StatusCause[] = [];
  const set: string[] = [];
  if (nodeName === "") causes.push(invalidValue(`${path}.nodeName`, nodeName, emptyName));
  else if (nodeName !== undefined) {
    set.push("`nodeName`");
    causes.push(...invalidEach(`${path}.nodeName`, nodeName, checkDns1123Subdomain(nodeName)));
  }
  if (nodeSelector) {
    set.push("`nodeSelector`");
    causes.push(...checkNodeSelector(nodeSelector, `${path}.nodeSelector`));
    if (hasOneTerm) causes.push(...checkOneTerm(nodeSelector, `${path}.nodeSelector.nodeSelectorTerms`));
  }
  for (const name of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (placement[name] === true) set.push(`\`${name}\``);
    else if (placement[name] === false) {
      causes.push(invalidValue(`${path}.${name}`, false, "must be either unset or set to true"));
    }
  }
  return { set, causes };
}

function checkPlacement(spec: Spec): StatusCause[] {
  const { set, causes } = readPlacement(spec, "spec", {
    emptyName: "must be either unset or set to a non-empty string",
    hasOneTerm: true,
  });
  const one = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) causes.push(required("spec", one));
  if (set.length > 1) causes.push(invalidValue("spec", `{${set.join(", ")}}`, `${one}, but multiple fields are set`));
  return causes;
}

function checkDevicePlacement(device: Device, path: string, perDevice: boolean): StatusCause[] {
  const { nodeName, nodeSelector, allNodes } = device;
  const only = "set to true in the ResourceSlice spec";
  if (!perDevice) {
    const isPlaced = nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined;
    const why = `\`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` is ${only}`;
    return isPlaced ? [invalidValue(path, null, why)] : [];
  }
  const { set, causes } = readPlacement({ nodeName, nodeSelector, allNodes }, path, {
    emptyName: "must not be empty",
    hasOneTerm: false,
  });
  const one = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required when \`perDeviceNodeSelection\` is ${only}`;
  if (set.length === 0) causes.push(required(path, one));
  if (set.length > 1) causes.push(invalidValue(path, `{${set.join(", ")}}`, one));
  return causes;
}

/** Lists of values are part of no GA feature: they are dropped. */
const VALUES = ["int", "bool", "string", "version"] as const;
const LISTS = ["ints", "bools", "strings", "versions"] as const;

/** As upstream's internal type has it. */
const printAttribute = (attribute: Attribute) =>
  Object.fromEntries(
    [...VALUES, ...LISTS].map((name) => {
      const [singular, plural] = name.endsWith("s") ? [name.slice(0, -1), "s"] : [name, ""];
      const value = (attribute as Record<string, unknown>)[name] ?? null;
      return [`${singular.charAt(0).toUpperCase()}${singular.slice(1)}Value${plural}`, value];
    }),
  );

/** Nor are the resources of nodes that devices stand for. */
function dropDisabled({ spec }: ResourceSlice): void {
  for (const device of spec?.devices ?? []) {
    const { attributes = {} } = device;
    delete (device as { nodeAllocatableResourceMappings?: unknown }).nodeAllocatableResourceMappings;
    for (const attribute of Object.values(attributes)) {
      for (const name of LISTS) delete (attribute as Record<string, unknown>)[name];
    }
  }
}

function checkAttribute(attribute: Attribute, path: string): StatusCause[] {
  const { string, version } = attribute;
  const causes: StatusCause[] = [];
  if (string !== undefined && string.length > MAX_ATTRIBUTE_BYTES) {
    causes.push(tooLong(`${path}.string`, MAX_ATTRIBUTE_BYTES));
  }
  if (version !== undefined) {
    const field = `${path}.version`;
    if (!SEMVER.test(version)) {
      causes.push(invalidValue(field, version, "must be a string compatible with semver.org spec 2.0.0"));
    }
    if (version.length > MAX_ATTRIBUTE_BYTES) causes.push(tooLong(field, MAX_ATTRIBUTE_BYTES));
  }
  const values = VALUES.filter((name) => attribute[name] !== undefined).length;
  if (values !== 1) {
    causes.push(
      invalidValue(path, values === 0 ? "" : printAttribute(attribute), "exactly one value must be specified"),
    );
  }
  return causes;
}

function checkDevice(device: Device, path: string, perDevice: boolean): StatusCause[] {
  const { name = "", attributes = {}, capacity = {} } = device;
  const causes = invalidEach(`${path}.name`, name, checkDns1123Label(name));
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  if (properties > MAX_PROPERTIES) {
    const why = `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`;
    causes.push(invalidValue(path, properties, why));
  }
  for (const [key, attribute] of Object.entries(attributes)) {
    const field = `${path}.attributes`;
    causes.push(...checkAttributeName(key, field), ...checkAttribute(attribute, `${field}[${key}]`));
  }
  for (const [key, { value, requestPolicy }] of Object.entries(capacity)) {
    const field = `${path}.capacity`;
    causes.push(...checkAttributeName(key, field));
    const shared = { value, requestPolicy } as Capacity;
    causes.push(...checkCapacity(shared, `${field}[${key}]`, device.allowMultipleAllocations === true));
  }
  causes.push(...checkBounded(device.taints, `${path}.taints`, MAX_TAINTS, checkDeviceTaint));
  causes.push(...checkConsumptions(device.consumesCounters ?? [], `${path}.consumesCounters`));
  causes.push(...checkDevicePlacement(device, path, perDevice));
  return [...causes, ...checkBindingConditions(device, path)];
}

function checkDevices({ devices = [], perDeviceNodeSelection = false }: Spec): StatusCause[] {
  const field = "spec.devices";
  const isElaborate = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0,
  );
  const limit = isElaborate ? MAX_ELABORATE_DEVICES : MAX_DEVICES;
  if (devices.length > limit) return [tooMany(field, devices.length, limit)];
  const names = devices.map(({ name }) => name);
  return [
    ...devices.flatMap((device, i) => checkDevice(device, `${field}[${i}]`, perDeviceNodeSelection)),
    ...names.flatMap((name, i) => (names.indexOf(name) < i ? [duplicate(`${field}[${i}]`, name)] : [])),
  ];
}

function checkSlice({ spec }: ResourceSlice, old?: ResourceSlice): StatusCause[] {
  const causes = [...checkDriver(spec?.driver ?? "", "spec.driver"), ...checkPool(spec?.pool ?? {})];
  if (!spec) return causes;
  if (old) {
    for (const [field, now, before] of [
      ["spec.pool.name", spec.pool?.name, old.spec.pool?.name],
      ["spec.driver", spec.driver, old.spec.driver],
      ["spec.nodeName", spec.nodeName, old.spec.nodeName],
    ] as const) {
      if (!isEqual(now, before)) causes.push(invalidValue(field, now, FIELD_IMMUTABLE));
    }
  }
  causes.push(...checkPlacement(spec));
  if (spec.sharedCounters && spec.devices) {
    causes.push(invalidValue("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
  }
  causes.push(...checkDevices(spec));
  return [...causes, ...checkCounterSets(spec.sharedCounters ?? [], "spec.sharedCounters")];
}

/** A taint begins when it is written, unless it says otherwise. */
function dateTaints({ spec }: ResourceSlice, nowMs: number): void {
  for (const { taints } of spec?.devices ?? []) {
    for (const taint of taints ?? []) (taint as { timeAdded?: string }).timeAdded ??= printTime(nowMs);
  }
}

export const RESOURCE_SLICE_STRATEGY: Strategy<ResourceSlice> = {
  tracksGeneration: true,
  applyDefaults: dateTaints,
  prepareForCreate: dropDisabled,
  // What is then dropped counts as a change all the same.
  prepareForUpdate: (slice, old) => {
    if (!isEqual(slice.spec, old.spec)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
    dropDisabled(slice);
  },
  bumpsGeneration: () => false,
  validate: (slice) => checkSlice(slice),
  validateUpdate: checkSlice,
  fields: ({ spec }) => ({ "spec.nodeName": spec?.nodeName ?? "", "spec.driver": spec?.driver ?? "" }),
};
