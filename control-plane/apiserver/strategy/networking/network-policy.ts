import { fieldForbidden, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { parseCidr, parseIp, rangeContains } from "../../../../shared/api/ip.ts";
import { checkPortName, checkPortNumber } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../../../shared/api/types.ts";
import { checkLegacyCidr, cidrWarnings } from "../ip-rules.ts";
import { checkLabelSelector } from "../label-selector.ts";
import type { Strategy } from "../strategy.ts";

const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const POLICY_TYPES = ["Ingress", "Egress"];

function checkPort({ protocol, port, endPort }: NetworkPolicyPort, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const fail = (name: string, value: unknown, detail: string) =>
    causes.push(invalidValue(`${path}.${name}`, value, detail));
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    causes.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
  }
  if (port === undefined) {
    if (endPort !== undefined) fail("endPort", endPort, "may not be specified when `port` is not specified");
  } else if (typeof port === "number") {
    for (const message of checkPortNumber(port)) fail("port", port, message);
    if (endPort === undefined) return causes;
    if (endPort < port) fail("endPort", port, "must be greater than or equal to `port`");
    for (const message of checkPortNumber(endPort)) fail("endPort", endPort, message);
  } else {
    if (endPort !== undefined) fail("endPort", endPort, "may not be specified when `port` is non-numeric");
    for (const message of checkPortName(port)) fail("port", port, message);
  }
  return causes;
}

function checkBlock({ cidr, except = [] }: IPBlock, path: string, existing: string[]): StatusCause[] {
  if (!cidr) return [required(`${path}.cidr`)];
  const causes = checkLegacyCidr(cidr, `${path}.cidr`, existing);
  const range = parseCidr(cidr);
  if (!range) return causes;
  for (const [i, text] of except.entries()) {
    const field = `${path}.except[${i}]`;
    causes.push(...checkLegacyCidr(text, field, existing));
    const inner = parseCidr(text);
    const first = inner && parseIp(text.split("/")[0] ?? "");
    if (inner && first && !(rangeContains(range, first) && inner.prefixLength > range.prefixLength)) {
      causes.push(invalidValue(field, text, "must be a strict subset of `cidr`"));
    }
  }
  return causes;
}

function checkPeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, path: string, existing: string[]) {
  const causes = [
    ...checkLabelSelector(podSelector, `${path}.podSelector`),
    ...checkLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...(ipBlock ? checkBlock(ipBlock, `${path}.ipBlock`, existing) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) causes.push(required(path, "must specify a peer"));
  else if (ipBlock && (podSelector || namespaceSelector)) {
    causes.push(fieldForbidden(path, "may not specify both ipBlock and another peer"));
  }
  return causes;
}

/** Every rule's ports and peers, and where they stand. */
function rulesOf(
  spec: NetworkPolicySpec,
): { path: string; ports: NetworkPolicyPort[]; side: string; peers: NetworkPolicyPeer[] }[] {
  return [
    ...(spec.ingress ?? []).map(({ ports = [], from = [] }, i) => ({
      path: `spec.ingress[${i}]`,
      ports,
      side: "from",
      peers: from,
    })),
    ...(spec.egress ?? []).map(({ ports = [], to = [] }, i) => ({
      path: `spec.egress[${i}]`,
      ports,
      side: "to",
      peers: to,
    })),
  ];
}

const cidrsOf = (spec: NetworkPolicySpec): string[] =>
  rulesOf(spec).flatMap(({ peers }) =>
    peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : [])),
  );

/** A range that the stored policy has is let through wherever it stands now. */
function checkSpec(spec: NetworkPolicySpec, old?: NetworkPolicySpec): StatusCause[] {
  const existing = old ? cidrsOf(old) : [];
  const causes = checkLabelSelector(spec.podSelector, "spec.podSelector");
  for (const { path, ports, side, peers } of rulesOf(spec)) {
    causes.push(...ports.flatMap((port, i) => checkPort(port, `${path}.ports[${i}]`)));
    causes.push(...peers.flatMap((peer, i) => checkPeer(peer, `${path}.${side}[${i}]`, existing)));
  }
  const types: string[] = spec.policyTypes ?? [];
  if (types.length > POLICY_TYPES.length) {
    return [...causes, invalidValue("spec.policyTypes", types, "may not specify more than two policyTypes")];
  }
  for (const [i, type] of types.entries()) {
    if (!POLICY_TYPES.includes(type)) causes.push(notSupported(`spec.policyTypes[${i}]`, type, POLICY_TYPES));
  }
  return causes;
}

export const NETWORK_POLICY_STRATEGY: Strategy<NetworkPolicy> = {
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    if ((spec.policyTypes ?? []).length === 0) {
      spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    }
  },
  validate: ({ spec }) => checkSpec(spec ?? {}),
  validateUpdate: ({ spec }, old) => checkSpec(spec ?? {}, old.spec),
  warnings: ({ spec }) =>
    rulesOf(spec ?? {}).flatMap(({ path, side, peers }) =>
      peers.flatMap(({ ipBlock }, i) => {
        const block = `${path}.${side}[${i}].ipBlock`;
        if (!ipBlock) return [];
        return [
          ...cidrWarnings(ipBlock.cidr, `${block}.cidr`),
          ...(ipBlock.except ?? []).flatMap((text, j) => cidrWarnings(text, `${block}.except[${j}]`)),
        ];
      }),
    ),
};
