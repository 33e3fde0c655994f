import type { Pod } from "./pod.ts";

/** What Kubernetes lets names be: lower-case letters, digits, dashes, and dots between them. */
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i;
const MAX_NAME = 253;

/**
 * Why a pod cannot be run, whatever the API server let pass: its names become names of directories, and root writes there.
 * Undefined when all is well.
 */
export function whyUnusable(pod: Partial<Pod>): string | undefined {
  const { metadata, spec } = pod;
  if (!metadata || !Array.isArray(spec?.containers)) return "it is no pod";
  const lists: (Named[] | undefined)[] = [spec.initContainers, spec.containers, spec.ephemeralContainers, spec.volumes];
  const parts = lists.flatMap((list) => list ?? []).map(({ name }) => name);
  const names = [metadata.name, metadata.namespace, metadata.uid, ...parts];
  const bad = names.find((name) => typeof name !== "string" || name.length > MAX_NAME || !NAME.test(name));
  return bad === undefined && !names.includes(undefined) ? undefined : `${JSON.stringify(bad)} is not a name`;
}

interface Named {
  name?: string;
}
