/** The kinds of the Gateway API's standard channel: what `kubectl api-resources` shows of each. */
export const GATEWAY_KINDS = [
  { kind: "BackendTLSPolicy", plural: "backendtlspolicies", shortNames: ["btlspolicy"] },
  { kind: "GatewayClass", plural: "gatewayclasses", shortNames: ["gc"], scope: "Cluster" },
  { kind: "Gateway", plural: "gateways", shortNames: ["gtw"] },
  { kind: "GRPCRoute", plural: "grpcroutes", shortNames: [] },
  { kind: "HTTPRoute", plural: "httproutes", shortNames: [] },
  { kind: "ListenerSet", plural: "listenersets", shortNames: ["lset"] },
  { kind: "ReferenceGrant", plural: "referencegrants", shortNames: ["refgrant"] },
  { kind: "TCPRoute", plural: "tcproutes", shortNames: [] },
  { kind: "TLSRoute", plural: "tlsroutes", shortNames: [] },
  { kind: "UDPRoute", plural: "udproutes", shortNames: [] },
];

const text = { type: "string" };
const port = { type: "integer", minimum: 1, maximum: 65_535 };
const list = (items: object) => ({ type: "array", items });
const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const oneOf = (...values: string[]) => ({ type: "string", enum: values });

const parentRefs = list(
  object(
    {
      group: { type: "string", default: "gateway.networking.k8s.io" },
      kind: { type: "string", default: "Gateway" },
      namespace: text,
      name: text,
      sectionName: text,
      port,
    },
    ["name"],
  ),
);
const backendRefs = list(
  object(
    {
      group: { type: "string", default: "" },
      kind: { type: "string", default: "Service" },
      namespace: text,
      name: text,
      port,
      weight: { type: "integer", default: 1, minimum: 0 },
    },
    ["name"],
  ),
);
const hostnames = list(text);
const routeOf = (match: object) =>
  object({
    parentRefs,
    hostnames,
    rules: list(object({ name: text, matches: list(match), backendRefs })),
  });

const SPECS: Record<string, object> = {
  Gateway: object(
    {
      gatewayClassName: text,
      listeners: list(
        object(
          {
            name: text,
            hostname: text,
            port,
            protocol: text,
            allowedRoutes: object({
              namespaces: object({ from: { ...oneOf("All", "Same", "Selector", "None"), default: "Same" } }),
            }),
          },
          ["name", "port", "protocol"],
        ),
      ),
    },
    ["gatewayClassName", "listeners"],
  ),
  GatewayClass: object({ controllerName: text, description: text }, ["controllerName"]),
  HTTPRoute: routeOf(
    object({
      path: {
        ...object({
          type: { ...oneOf("Exact", "PathPrefix", "RegularExpression"), default: "PathPrefix" },
          value: { type: "string", default: "/" },
        }),
        default: { type: "PathPrefix", value: "/" },
      },
      method: text,
    }),
  ),
  GRPCRoute: routeOf(
    object({
      method: object({
        type: { ...oneOf("Exact", "RegularExpression"), default: "Exact" },
        service: text,
        method: text,
      }),
    }),
  ),
};

/** Definitions of our own of the Gateway API's shape, with the fields that the tests use; what they leave open stays. */
export const gatewayDefinitions = () =>
  GATEWAY_KINDS.map(({ kind, plural, shortNames, scope = "Namespaced" }) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.gateway.networking.k8s.io`,
      // Groups below k8s.io are taken with it alone.
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api" },
    },
    spec: {
      group: "gateway.networking.k8s.io",
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: object({
              spec: SPECS[kind] ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            }),
          },
        },
      ],
    },
  }));
