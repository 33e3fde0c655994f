import { invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPortNumber,
  checkQualifiedName,
} from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CoreV1EndpointPort, EndpointAddress, EndpointSubset, Endpoints } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { checkEndpointIp, checkLegacyIp, ipWarnings } from "../ip-rules.ts";
import type { Strategy } from "../strategy.ts";

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function checkAddress({ ip, hostname, nodeName }: EndpointAddress, path: string): StatusCause[] {
  return [
    ...checkLegacyIp(ip, `${path}.ip`),
    ...(hostname
      ? checkDns1123Label(hostname).map((message) => invalidValue(`${path}.hostname`, hostname, message))
      : []),
    ...(nodeName === undefined
      ? []
      : checkDns1123Subdomain(nodeName).map((message) => invalidValue(`${path}.nodeName`, nodeName, message))),
    ...checkEndpointIp(ip, `${path}.ip`),
  ];
}

function checkPort(
  { name = "", port, protocol = "", appProtocol }: CoreV1EndpointPort,
  path: string,
  needsName: boolean,
) {
  const causes = checkDns1123Label(name).map((message) => invalidValue(`${path}.name`, name, message));
  const named = name === "" ? (needsName ? [required(`${path}.name`)] : []) : causes;
  const messages = appProtocol === undefined ? [] : checkQualifiedName(appProtocol);
  return [
    ...named,
    ...checkPortNumber(port).map((message) => invalidValue(`${path}.port`, port, message)),
    ...(protocol === ""
      ? [required(`${path}.protocol`)]
      : PROTOCOLS.includes(protocol)
        ? []
        : [notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...messages.map((message) => invalidValue(`${path}.appProtocol`, appProtocol, message)),
  ];
}

function checkSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  path: string,
): StatusCause[] {
  const causes: StatusCause[] = [];
  if (addresses.length + notReadyAddresses.length === 0) {
    causes.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
  }
  return [
    ...causes,
    ...addresses.flatMap((address, i) => checkAddress(address, `${path}.addresses[${i}]`)),
    ...notReadyAddresses.flatMap((address, i) => checkAddress(address, `${path}.notReadyAddresses[${i}]`)),
    ...ports.flatMap((port, i) => checkPort(port, `${path}.ports[${i}]`, ports.length > 1)),
  ];
}

const checkSubsets = ({ subsets }: Endpoints) =>
  (subsets ?? []).flatMap((subset, i) => checkSubset(subset, `subsets[${i}]`));

export const ENDPOINTS_STRATEGY: Strategy<Endpoints> = {
  checksMetaAgain: true,
  allowCreateOnUpdate: true,
  validate: checkSubsets,
  validateUpdate: (endpoints, old) => (isEqual(endpoints.subsets, old.subsets) ? [] : checkSubsets(endpoints)),
  warnings: ({ subsets }) => [
    ...(subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [] }, i) => [
      ...addresses.flatMap(({ ip }, j) => ipWarnings(ip, `subsets[${i}].addresses[${j}].ip`)),
      ...notReadyAddresses.flatMap(({ ip }, j) => ipWarnings(ip, `subsets[${i}].notReadyAddresses[${j}].ip`)),
    ]),
  ],
};
