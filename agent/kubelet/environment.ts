import { Buffer } from "node:buffer";
import { type ConfigMap, type Container, expandVariables, type Pod, type Secret } from "../api/index.ts";
import { type Allocatable, type PodAddresses, podFieldValue, resourceFieldValue } from "../volumes/index.ts";

/** What the environment refers to, fetched before. A missing entry is an object that does not exist. */
export interface EnvironmentSources {
  configMaps: ReadonlyMap<string, ConfigMap>;
  secrets: ReadonlyMap<string, Secret>;
  /** KUBERNETES_SERVICE_HOST and the like. */
  serviceVariables: Record<string, string>;
  addresses: PodAddresses;
  allocatable: Allocatable;
}

/** The names of the ConfigMaps and Secrets that a container's environment is made from. */
export function environmentReferences(container: Container): { configMaps: string[]; secrets: string[] } {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef?.name) configMaps.add(configMapRef.name);
    if (secretRef?.name) secrets.add(secretRef.name);
  }
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.configMapKeyRef?.name) configMaps.add(valueFrom.configMapKeyRef.name);
    if (valueFrom?.secretKeyRef?.name) secrets.add(valueFrom.secretKeyRef.name);
  }
  return { configMaps: [...configMaps], secrets: [...secrets] };
}

/**
 * The container's environment: envFrom, then env in order (each may refer to those before it), then services.
 * @throws Error in upstream's words if something that is not optional is missing
 */
export function resolveEnvironment(pod: Pod, container: Container, sources: EnvironmentSources): Map<string, string> {
  const { namespace } = pod.metadata;
  const variables = new Map<string, string>();
  for (const { configMapRef, secretRef, prefix = "" } of container.envFrom ?? []) {
    const [object, ref, resource] = configMapRef
      ? [sources.configMaps.get(configMapRef.name ?? "")?.data, configMapRef, "configmap"]
      : [decodeSecret(sources.secrets.get(secretRef?.name ?? "")), secretRef, "secret"];
    if (!object && !exists(sources, ref?.name, configMapRef !== undefined)) {
      if (ref?.optional) continue;
      throw new Error(`${resource} "${ref?.name}" not found`);
    }
    for (const [key, value] of Object.entries(object ?? {})) variables.set(prefix + key, value);
  }
  const lookup = (name: string) => variables.get(name) ?? sources.serviceVariables[name];
  for (const variable of container.env ?? []) {
    const value = variable.value
      ? expandVariables(variable.value, lookup)
      : variable.valueFrom
        ? resolveSource(pod, container, variable.valueFrom, sources, namespace)
        : "";
    if (value !== undefined) variables.set(variable.name, value);
  }
  for (const [name, value] of Object.entries(sources.serviceVariables)) {
    if (!variables.has(name)) variables.set(name, value);
  }
  return variables;
}

/** @throws Error in upstream's words for variables without a value: a path that was not meant might be another's */
export function expandSubPath(expression: string, environment: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  const expanded = expandVariables(expression, (name) => {
    const value = environment.get(name);
    if (!value) missing.add(name);
    return value;
  });
  if (missing.size > 0) throw new Error(`missing value for ${[...missing].sort().join(", ")}`);
  return expanded;
}

function exists(sources: EnvironmentSources, name = "", isConfigMap: boolean): boolean {
  return isConfigMap ? sources.configMaps.has(name) : sources.secrets.has(name);
}

/** Undefined when an optional key is missing. */
function resolveSource(
  pod: Pod,
  container: Container,
  source: NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>,
  sources: EnvironmentSources,
  namespace: string,
): string | undefined {
  if (source.fieldRef) return podFieldValue(pod, source.fieldRef.fieldPath, sources.addresses);
  if (source.resourceFieldRef) return resourceFieldValue(pod, container, source.resourceFieldRef, sources.allocatable);
  const ref = source.configMapKeyRef ?? source.secretKeyRef;
  if (!ref) return "";
  const kind = source.configMapKeyRef ? "ConfigMap" : "Secret";
  const name = ref.name ?? "";
  const data = source.configMapKeyRef ? sources.configMaps.get(name)?.data : decodeSecret(sources.secrets.get(name));
  if (!exists(sources, name, kind === "ConfigMap")) {
    if (ref.optional) return undefined;
    throw new Error(`${kind.toLowerCase()} "${name}" not found`);
  }
  const value = data?.[ref.key];
  if (value === undefined && !ref.optional) {
    throw new Error(`couldn't find key ${ref.key} in ${kind} ${namespace}/${name}`);
  }
  return value;
}

function decodeSecret(secret: Secret | undefined): Record<string, string> | undefined {
  if (!secret) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}
