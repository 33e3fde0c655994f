import type { KubeObject } from "../../../shared/api/object.ts";
import type { CustomResourceDefinition } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";

/** autoscaling/v1 Scale, what is read and written of it. */
export interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

/**
 * The resource of a kind, whatever version the reference names.
 * @throws Error for a kind that no group has
 */
export function resourceOfKind(
  { apiVersion = "", kind }: { apiVersion?: string; kind: string },
  definitions: readonly CustomResourceDefinition[],
): ResourceRef {
  const parts = apiVersion.split("/");
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  const builtIn = RESOURCES.find((facts) => facts.group === group && facts.kind === kind);
  if (builtIn) return builtIn;
  for (const { spec } of definitions) {
    if (spec.group !== group || spec.names.kind !== kind) continue;
    const version = spec.versions.find(({ served }) => served);
    if (!version) continue;
    return { group, version: version.name, resource: spec.names.plural, kind, namespaced: spec.scope === "Namespaced" };
  }
  throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
}
