import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { PODS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Pod } from "../../../shared/api/types.ts";
import type { ApiClient, ResourceRef } from "../../../shared/client/api-client.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";
import type { Contents, Remaining } from "./decide.ts";

/** Resources emptied at the same time. */
const PARALLEL = 8;

/** What a namespace can hold: one row per stored resource, in its own group. */
const RESOURCES_IN_NAMESPACES: ResourceRef[] = RESOURCES.filter(
  (facts) => facts.namespaced && !facts.virtual && !facts.storedAs && facts.verbs.includes("delete"),
);

/**
 * Asks all objects of the namespace to go away, pods first and alone: a policy or a quota must not vanish under running
 * pods (KEP-5080).
 * @returns what is left; `isPartial` when pods remain and nothing else was touched
 */
export async function deleteContents(
  api: ApiClient,
  namespace: string,
): Promise<{ contents: Contents; isPartial: boolean }> {
  const contents: Contents = { remaining: [], errors: [] };
  await empty(api, PODS, namespace, contents);
  if (contents.remaining.some(({ count }) => count > 0)) return { contents, isPartial: true };
  const others = RESOURCES_IN_NAMESPACES.filter(({ group, resource }) => group !== "" || resource !== "pods");
  for (let i = 0; i < others.length; i += PARALLEL)
    await Promise.all(others.slice(i, i + PARALLEL).map((ref) => empty(api, ref, namespace, contents)));
  return { contents, isPartial: false };
}

async function empty(api: ApiClient, ref: ResourceRef, namespace: string, contents: Contents): Promise<void> {
  try {
    const before = await api.list(ref, { namespace, limit: 1 });
    if (before.items.length === 0) return;
    await api.deleteCollection(ref, { namespace, propagationPolicy: "Background" });
    const { items } = await api.listAll(ref, { namespace });
    if (items.length > 0) contents.remaining.push(summarize(ref, items));
  } catch (error) {
    if (!isNotFound(error)) contents.errors.push(messageOf(error));
  }
}

function summarize({ group, resource }: ResourceRef, items: { metadata: { finalizers?: string[] } }[]): Remaining {
  const finalizers: Record<string, number> = {};
  for (const { metadata } of items)
    for (const name of metadata.finalizers ?? []) finalizers[name] = (finalizers[name] ?? 0) + 1;
  const isPods = group === "" && resource === "pods";
  const graces = isPods ? (items as Pod[]).filter((pod) => !isPodTerminal(pod)).map(graceOf) : [];
  return { resource: { group, resource }, count: items.length, finalizers, graceSeconds: Math.max(0, ...graces) };
}

const graceOf = (pod: Pod): number => pod.spec.terminationGracePeriodSeconds ?? 0;
