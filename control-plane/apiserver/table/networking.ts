import type {
  EndpointSlice,
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from "../../../shared/api/types.ts";
import { AGE, fieldColumn, NAME, type TableKind, textColumn } from "./column.ts";
import { loadBalancerAddresses } from "./core.ts";
import { since } from "./duration.ts";
import { firstThree, formatSelector } from "./format.ts";

/** Hosts of the first three rules, counted by rules as upstream does. */
function ingressHosts(rules: { host?: string }[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === 3) more = true;
    if (!more && host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

export const INGRESS_TABLE: TableKind<Ingress> = {
  columns: [
    NAME,
    textColumn("Class", "The name of the IngressClass resource that should be used for additional configuration"),
    textColumn("Hosts", "Hosts that incoming requests are matched against before the ingress rule"),
    textColumn("Address", "Address is a list containing ingress points for the load-balancer"),
    textColumn("Ports", "Ports of TLS configurations that open"),
    AGE,
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec?.ingressClassName ?? "<none>",
    ingressHosts(spec?.rules ?? []),
    loadBalancerAddresses(status?.loadBalancer?.ingress),
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
    since(metadata.creationTimestamp, nowMs),
  ],
};

const DEFAULT_INGRESS_CLASS = "ingressclass.kubernetes.io/is-default-class";

export const INGRESS_CLASS_TABLE: TableKind<IngressClass> = {
  columns: [
    NAME,
    textColumn("Controller", "Controller that is responsible for handling this class"),
    textColumn("Parameters", "A reference to a resource with additional parameters"),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => {
    const isDefault = metadata.annotations?.[DEFAULT_INGRESS_CLASS] === "true";
    const parameters = spec?.parameters;
    const group = parameters?.apiGroup === undefined ? "" : `.${parameters.apiGroup}`;
    return [
      isDefault ? `${metadata.name} (default)` : metadata.name,
      spec?.controller ?? "",
      parameters ? `${parameters.kind}${group}/${parameters.name}` : "<none>",
      since(metadata.creationTimestamp, nowMs),
    ];
  },
};

export const NETWORK_POLICY_TABLE: TableKind<NetworkPolicy> = {
  columns: [
    NAME,
    textColumn(
      "Pod-Selector",
      "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.",
    ),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    formatSelector(spec?.podSelector),
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const ENDPOINT_SLICE_TABLE: TableKind<EndpointSlice> = {
  columns: [
    NAME,
    fieldColumn("AddressType", "discovery.v1.EndpointSlice.addressType"),
    fieldColumn("Ports", "discovery.v1.EndpointSlice.ports"),
    fieldColumn("Endpoints", "discovery.v1.EndpointSlice.endpoints"),
    AGE,
  ],
  cells: (slice, nowMs) => [
    slice.metadata.name,
    slice.addressType ?? "",
    firstThree(
      (slice.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port))),
      "<unset>",
    ),
    firstThree(
      (slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
      "<unset>",
    ),
    since(slice.metadata.creationTimestamp, nowMs),
  ],
};

export const SERVICE_CIDR_TABLE: TableKind<ServiceCIDR> = {
  columns: [NAME, fieldColumn("CIDRs", "networking.v1.ServiceCIDRSpec.cidrs"), AGE],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    (spec?.cidrs ?? []).join(","),
    since(metadata.creationTimestamp, nowMs),
  ],
};

/** Upstream gives a third cell (the age) for two columns; clients print by columns. */
export const IP_ADDRESS_TABLE: TableKind<IPAddress> = {
  columns: [
    NAME,
    textColumn(
      "ParentRef",
      "ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.",
    ),
  ],
  cells: ({ metadata, spec }, nowMs) => {
    const parent = spec?.parentRef;
    const resource = parent?.group ? `${parent.resource}.${parent.group}` : (parent?.resource ?? "");
    const namespace = parent?.namespace ? `/${parent.namespace}` : "";
    return [
      metadata.name,
      parent ? `${resource.toLowerCase()}${namespace}/${parent.name}` : "<none>",
      since(metadata.creationTimestamp, nowMs),
    ];
  },
};
