import { duplicate, fieldForbidden, invalidEach, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkPortNumber, checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service, ServicePort } from "../../../../shared/api/types.ts";
import { checkPort } from "../pod-spec/probes.ts";

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function checkServicePort(port: ServicePort, path: string, names: Set<string>, nameNeeded: boolean): StatusCause[] {
  const { name, port: number = 0, protocol, targetPort, appProtocol } = port;
  const causes: StatusCause[] = [];
  if (nameNeeded && !name) causes.push(required(`${path}.name`));
  else if (name) {
    causes.push(...invalidEach(`${path}.name`, name, checkDns1123Label(name)));
    if (names.has(name)) causes.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  causes.push(...invalidEach(`${path}.port`, number, checkPortNumber(number)));
  if (!protocol) causes.push(required(`${path}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) causes.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
  causes.push(...checkPort(targetPort, `${path}.targetPort`));
  if (appProtocol !== undefined) {
    causes.push(...invalidEach(`${path}.appProtocol`, appProtocol, checkQualifiedName(appProtocol)));
  }
  return causes;
}

/** What is wrong with each port by itself; of several each has a name of its own. */
export function checkServicePorts({ spec }: Service): StatusCause[] {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  return ports.flatMap((port, index) => checkServicePort(port, `spec.ports[${index}]`, names, ports.length > 1));
}

/** Ports of the nodes and of the service, each only once per protocol. */
export function checkPortClashes({ spec }: Service): StatusCause[] {
  const causes: StatusCause[] = [];
  const ports = spec.ports ?? [];
  if (spec.type === "ClusterIP") {
    for (const [index, { nodePort }] of ports.entries()) {
      if (nodePort) {
        causes.push(fieldForbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
    }
  }
  const nodePorts = new Set<string>();
  for (const [index, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) causes.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [index, { protocol, port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) {
      // The internal type, with all that the comparison leaves out.
      const printed = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      causes.push(duplicate(`spec.ports[${index}]`, printed));
    }
    seen.add(key);
  }
  return causes;
}
