/** What is read of a Service. */
export interface Service {
  metadata: { name: string; namespace?: string };
  spec?: { clusterIP?: string; ports?: { name?: string; port: number; protocol?: string }[] };
}

/**
 * The variables by which containers find services: those of the pod's namespace, if it wants them, and always those of
 * `default/kubernetes`. @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export function serviceVariables(
  services: Service[],
  { namespace, enableServiceLinks }: { namespace: string; enableServiceLinks: boolean },
): Record<string, string> {
  const byName = new Map<string, Service>();
  for (const service of services) {
    const { clusterIP } = service.spec ?? {};
    if (!clusterIP || clusterIP === "None") continue;
    const isMaster = service.metadata.namespace === "default" && service.metadata.name === "kubernetes";
    const isLinked = enableServiceLinks && service.metadata.namespace === namespace;
    if (isLinked || (isMaster && !byName.has("kubernetes"))) byName.set(service.metadata.name, service);
  }
  return Object.assign({}, ...[...byName.values()].map(variablesOf));
}

function variablesOf({ metadata, spec }: Service): Record<string, string> {
  const prefix = envName(metadata.name);
  const host = spec!.clusterIP!;
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const ports = spec!.ports ?? [];
  const variables: Record<string, string> = { [`${prefix}_SERVICE_HOST`]: host };
  if (ports[0]) variables[`${prefix}_SERVICE_PORT`] = String(ports[0].port);
  for (const { name, port } of ports) {
    if (name) variables[`${prefix}_SERVICE_PORT_${envName(name)}`] = String(port);
  }
  for (const [index, { port, protocol = "TCP" }] of ports.entries()) {
    const scheme = protocol.toLowerCase();
    const url = `${scheme}://${bracketed}:${port}`;
    if (index === 0) variables[`${prefix}_PORT`] = url;
    const own = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    variables[own] = url;
    variables[`${own}_PROTO`] = scheme;
    variables[`${own}_PORT`] = String(port);
    variables[`${own}_ADDR`] = host;
  }
  return variables;
}

const envName = (name: string) => name.toUpperCase().replaceAll("-", "_");
