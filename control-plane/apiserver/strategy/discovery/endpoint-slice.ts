import {
  duplicate,
  FIELD_IMMUTABLE,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from "../../../../shared/api/names.ts";
import { validateLabels } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { DiscoveryV1EndpointPort, Endpoint, EndpointHints, EndpointSlice } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { checkEndpointIp, checkLegacyIp, checkStrictIp, ipWarnings } from "../ip-rules.ts";
import type { Strategy } from "../strategy.ts";

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const MAX_TOPOLOGY_LABELS = 16;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_ENDPOINTS = 1000;
const MAX_HINTS = 8;

function checkFqdn(name: string, field: string): StatusCause[] {
  if (name === "") return [required(field)];
  const text = name.endsWith(".") ? name.slice(0, -1) : name;
  const messages = checkDns1123Subdomain(text);
  if (messages.length > 0) return messages.map((message) => invalidValue(field, text, message));
  if (text.split(".").length < 2) {
    return [invalidValue(field, text, "should be a domain with at least two segments separated by dots")];
  }
  return text
    .split(".")
    .flatMap((label) => checkDns1123Label(label).map((message) => invalidValue(field, label, message)));
}

function checkAddress(address: string, type: string, list: string, index: number): StatusCause[] {
  const field = `${list}[${index}]`;
  if (type === "FQDN") return checkFqdn(address, field);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const causes = type === "IPv4" ? checkLegacyIp(address, field) : checkStrictIp(address, field);
  if (causes.length > 0) return causes;
  if (`IPv${parseIp(address)?.family}` !== type) causes.push(invalidValue(list, address, `must be an ${type} address`));
  return [...causes, ...checkEndpointIp(address, field)];
}

function checkHints({ forZones = [], forNodes = [] }: EndpointHints, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const [list, hints, check] of [
    ["forZones", forZones, checkLabelValue],
    ["forNodes", forNodes, checkDns1123Subdomain],
  ] as const) {
    if (hints.length > MAX_HINTS) return [...causes, tooMany(`${path}.${list}`, hints.length, MAX_HINTS)];
    const seen = new Set<string>();
    for (const [i, { name }] of hints.entries()) {
      const field = `${path}.${list}[${i}].name`;
      if (seen.has(name)) causes.push(duplicate(field, name));
      seen.add(name);
      causes.push(...check(name).map((message) => invalidValue(field, name, message)));
    }
  }
  return causes;
}

function checkEndpoint(endpoint: Endpoint, type: string, path: string): StatusCause[] {
  const addresses = endpoint.addresses ?? [];
  const list = `${path}.addresses`;
  const causes: StatusCause[] = [];
  if (addresses.length === 0) causes.push(required(list, "must contain at least 1 address"));
  else if (addresses.length > MAX_ADDRESSES) causes.push(tooMany(list, addresses.length, MAX_ADDRESSES));
  causes.push(...addresses.flatMap((address, i) => checkAddress(address, type, list, i)));
  const { nodeName, hostname, hints } = endpoint;
  if (nodeName !== undefined) {
    causes.push(
      ...checkDns1123Subdomain(nodeName).map((message) => invalidValue(`${path}.nodeName`, nodeName, message)),
    );
  }
  const topology = endpoint.deprecatedTopology ?? {};
  const count = Object.keys(topology).length;
  if (count > MAX_TOPOLOGY_LABELS) causes.push(tooMany(`${path}.deprecatedTopology`, count, MAX_TOPOLOGY_LABELS));
  causes.push(...validateLabels(topology, `${path}.deprecatedTopology`));
  if (hostname !== undefined) {
    causes.push(...checkDns1123Label(hostname).map((message) => invalidValue(`${path}.hostname`, hostname, message)));
  }
  return hints ? [...causes, ...checkHints(hints, `${path}.hints`)] : causes;
}

function checkPorts(ports: DiscoveryV1EndpointPort[]): StatusCause[] {
  if (ports.length > MAX_PORTS) return [tooMany("ports", ports.length, MAX_PORTS)];
  const seen = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, i) => {
    const path = `ports[${i}]`;
    const causes = name ? checkDns1123Label(name).map((message) => invalidValue(`${path}.name`, name, message)) : [];
    if (seen.has(name)) causes.push(duplicate(`${path}.name`, name));
    seen.add(name);
    if (protocol === undefined) causes.push(required(`${path}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) causes.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
    const messages = appProtocol === undefined ? [] : checkQualifiedName(appProtocol);
    return [...causes, ...messages.map((message) => invalidValue(`${path}.appProtocol`, appProtocol, message))];
  });
}

function checkEndpoints(endpoints: Endpoint[], type: string): StatusCause[] {
  return endpoints.length > MAX_ENDPOINTS
    ? [tooMany("endpoints", endpoints.length, MAX_ENDPOINTS)]
    : endpoints.flatMap((endpoint, i) => checkEndpoint(endpoint, type, `endpoints[${i}]`));
}

/** Endpoints that stay as they are stored are not checked again: older rules let them in. */
function validate({ addressType = "", ports, endpoints }: EndpointSlice, old?: EndpointSlice): StatusCause[] {
  const causes: StatusCause[] = [];
  if (addressType === "") causes.push(required("addressType"));
  else if (!ADDRESS_TYPES.includes(addressType)) causes.push(notSupported("addressType", addressType, ADDRESS_TYPES));
  causes.push(...checkPorts(ports ?? []));
  const isUnchanged = old !== undefined && isEqual(endpoints ?? [], old.endpoints ?? []);
  if (!isUnchanged) causes.push(...checkEndpoints(endpoints ?? [], addressType));
  return causes;
}

const hasChanged = (slice: EndpointSlice, old: EndpointSlice) =>
  !isEqual(
    [slice.addressType, slice.ports, slice.endpoints, slice.metadata.labels],
    [old.addressType, old.ports, old.endpoints, old.metadata.labels],
  );

/** Where endpoints run is said by `nodeName` and `zone` in v1. */
function dropTopology(slice: EndpointSlice, old?: EndpointSlice): void {
  if (old && isEqual(slice.endpoints, old.endpoints)) return;
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

export const ENDPOINT_SLICE_STRATEGY: Strategy<EndpointSlice> = {
  checksMetaAgain: true,
  checksMetaUpdateOnce: true,
  // Counted here: a change of topology counts although it is dropped.
  tracksGeneration: false,
  prepareForCreate: (slice) => {
    slice.metadata.generation = 1;
    dropTopology(slice);
  },
  prepareForUpdate: (slice, old) => {
    if (hasChanged(slice, old)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
    dropTopology(slice, old);
  },
  validate: (slice) => validate(slice),
  validateUpdate: (slice, old) => [
    ...validate(slice, old),
    ...(slice.addressType === old.addressType ? [] : [invalidValue("addressType", slice.addressType, FIELD_IMMUTABLE)]),
  ],
  warnings: ({ addressType, endpoints }, old) => [
    ...(!old && addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...(addressType === "FQDN"
      ? []
      : (endpoints ?? []).flatMap(({ addresses }, i) =>
          (addresses ?? []).flatMap((address, j) => ipWarnings(address, `endpoints[${i}].addresses[${j}]`)),
        )),
  ],
};
