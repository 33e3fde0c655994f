import {
  duplicate,
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  quote,
  required,
  tooLong,
  tooMany,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { NodeSelector, ResourceClaim } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { checkConditions, type MetaCondition } from "../conditions.ts";
import { isEqual } from "../equality.ts";
import { renderInternal } from "../internal-form/index.ts";
import { checkInterfaceAddress } from "../ip-rules.ts";
import { checkNodeSelector } from "../pod-spec/index.ts";
import { checkBindingConditions } from "./binding-conditions.ts";
import { checkReference, checkReferences, requestNames } from "./device-claim.ts";
import { checkBounded, checkConfiguration, checkDriver } from "./device-selectors.ts";
import { checkPoolName } from "./resource-slice.ts";

type Status = NonNullable<ResourceClaim["status"]>;
type Allocation = NonNullable<Status["allocation"]>;
type AllocatedDevice = NonNullable<Status["devices"]>[number];

const MAX_CONSUMERS = 256;
const MAX_RESULTS = 32;
/** Of the class and of the claim. */
const MAX_CONFIGURATIONS = 64;
const MAX_CONDITIONS = 8;
const MAX_DATA_BYTES = 10 * 1024;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const MAX_ADDRESSES = 16;
const SOURCES = ["FromClaim", "FromClass"];

function checkAllocation({ devices, nodeSelector }: Allocation, path: string, known: Set<string>): StatusCause[] {
  return [
    ...checkBounded(devices?.results, `${path}.devices.results`, MAX_RESULTS, (result, at) => [
      ...checkReference(result.request ?? "", `${at}.request`, known),
      ...checkDriver(result.driver ?? "", `${at}.driver`),
      ...checkPoolName(result.pool ?? "", `${at}.pool`),
      ...invalidEach(`${at}.device`, result.device ?? "", checkDns1123Label(result.device ?? "")),
      ...checkBindingConditions(result, at),
      ...checkShareId(result.shareID, `${at}.shareID`),
    ]),
    ...checkBounded(devices?.config, `${path}.devices.config`, MAX_CONFIGURATIONS, (config, at) => [
      ...checkSource(config.source ?? "", `${at}.source`),
      ...checkReferences(config.requests, `${at}.requests`, known),
      ...checkConfiguration(config, at),
    ]),
    ...(nodeSelector ? checkNodeSelector(nodeSelector as NodeSelector, `${path}.nodeSelector`) : []),
  ];
}

function checkSource(source: string, field: string): StatusCause[] {
  if (source === "") return [required(field)];
  return SOURCES.includes(source) ? [] : [notSupported(field, source, SOURCES)];
}

/** What tells an allocated device from others, as upstream prints it. */
const idOf = ({ driver = "", pool = "", device = "", shareID = "" }: Partial<AllocatedDevice>) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

function checkDevice(device: AllocatedDevice, path: string, allocated: readonly object[]): StatusCause[] {
  const { driver = "", pool = "", device: name = "", conditions, data, networkData = {} } = device;
  const { interfaceName = "", hardwareAddress = "" } = networkData;
  const causes = [
    ...checkDriver(driver, `${path}.driver`),
    ...checkPoolName(pool, `${path}.pool`),
    ...invalidEach(`${path}.device`, name, checkDns1123Label(name)),
  ];
  causes.push(...checkShareId(device.shareID, `${path}.shareID`));
  if (!allocated.some((id) => isEqual(id, idOf(device)))) {
    causes.push(invalidValue(path, idOf(device), "must be an allocated device in the claim"));
  }
  if ((conditions ?? []).length > MAX_CONDITIONS) {
    causes.push(tooMany(`${path}.conditions`, (conditions ?? []).length, MAX_CONDITIONS));
  }
  causes.push(...checkConditions(conditions as MetaCondition[] | undefined, `${path}.conditions`));
  causes.push(...checkData(data, `${path}.data`));
  if (interfaceName.length > MAX_INTERFACE_NAME) {
    causes.push(tooLong(`${path}.networkData.interfaceName`, MAX_INTERFACE_NAME));
  }
  if (hardwareAddress.length > MAX_HARDWARE_ADDRESS) {
    causes.push(tooLong(`${path}.networkData.hardwareAddress`, MAX_HARDWARE_ADDRESS));
  }
  return [...causes, ...checkAddresses(networkData.ips ?? [], `${path}.networkData.ips`)];
}

function checkAddresses(ips: string[], field: string): StatusCause[] {
  const causes = checkBounded(ips, field, MAX_ADDRESSES, (ip, path) => checkInterfaceAddress(ip ?? "", path));
  return ips.length > MAX_ADDRESSES ? causes : [...causes, ...checkSet(ips, field, (ip) => ip)];
}

/** The share of a device that several claims have: a UUID in lower case. */
function checkShareId(id: string | undefined, field: string): StatusCause[] {
  if (id === undefined) return [];
  const refuse = (why: string) => [invalidValue(field, id, why)];
  if (![32, 36, 38, 45].includes(id.length)) return refuse(`error validating uid: invalid UUID length: ${id.length}`);
  const prefix = "urn:uuid:";
  if (id.length === 45 && id.slice(0, prefix.length).toLowerCase() !== prefix) {
    return refuse(`error validating uid: invalid urn prefix: ${quote(id.slice(0, prefix.length))}`);
  }
  if (id.length === 38 && !/^\{.*\}$/.test(id)) return refuse("error validating uid: invalid bracketed UUID format");
  const text = id.length === 45 ? id.slice(prefix.length) : id.length === 38 ? id.slice(1, -1) : id;
  const shape = id.length === 32 ? /^[0-9a-fA-F]{32}$/ : /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
  if (!shape.test(text)) return refuse("error validating uid: invalid UUID format");
  if (id.length === 36 && id === id.toLowerCase()) return [];
  return refuse(
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters",
  );
}

function checkData(data: unknown, field: string): StatusCause[] {
  if (data === undefined || data === null) return [];
  if (utf8Length(JSON.stringify(data)) > MAX_DATA_BYTES) return [tooLong(field, MAX_DATA_BYTES)];
  const isObject = typeof data === "object" && !Array.isArray(data);
  return isObject ? [] : [invalidValue(field, "<value omitted>", "must be a valid JSON object")];
}

function checkConsumers(status: Status, before: Status, isGoing: boolean): StatusCause[] {
  const field = "status.reservedFor";
  const consumers = status.reservedFor ?? [];
  if (consumers.length === 0) return [];
  if (!status.allocation) return [fieldForbidden(field, "may not be specified when `allocated` is not set")];
  const isNew = consumers.some((consumer) => !(before.reservedFor ?? []).some((old) => isEqual(old, consumer)));
  const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  return isGoing && isNew ? [fieldForbidden(field, why)] : [];
}

/** `checkBounded`, and each item once. */
function checkSet<T>(items: readonly T[], field: string, keyOf: (item: T) => unknown): StatusCause[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const key = JSON.stringify(keyOf(item));
    const repeated = seen.has(key) ? [duplicate(`${field}[${i}]`, keyOf(item))] : [];
    seen.add(key);
    return repeated;
  });
}

/** Who uses a claim, what it was given, and what drivers say of the devices. An allocation stays as it is. */
export function checkClaimStatus(
  { metadata, spec, status = {} }: ResourceClaim,
  { status: before = {} }: ResourceClaim,
): StatusCause[] {
  const { reservedFor = [], allocation, devices = [] } = status;
  const allocated = (allocation?.devices?.results ?? []).map((result) => idOf(result));
  const causes = checkBounded(reservedFor, "status.reservedFor", MAX_CONSUMERS, (consumer, path) =>
    (["resource", "name", "uid"] as const).flatMap((name) => (consumer[name] ? [] : [required(`${path}.${name}`)])),
  );
  if (reservedFor.length <= MAX_CONSUMERS)
    causes.push(...checkSet(reservedFor, "status.reservedFor", ({ uid }) => uid));
  causes.push(...devices.flatMap((device, i) => checkDevice(device, `status.devices[${i}]`, allocated)));
  causes.push(...checkSet(devices, "status.devices", idOf));
  causes.push(...checkConsumers(status, before, metadata?.deletionTimestamp !== undefined));
  const path = "status.allocation";
  if (!allocation) return causes;
  if (!before.allocation) return [...causes, ...checkAllocation(allocation, path, requestNames(spec?.devices ?? {}))];
  if (isEqual(before.allocation, allocation)) return causes;
  return [...causes, invalidValue(path, renderInternal(allocation, "AllocationResult"), FIELD_IMMUTABLE)];
}
