import { NAMESPACES } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Namespace } from "../../../shared/api/types.ts";
import { type ControllerDeps, done, type Requeue } from "../../runtime/index.ts";
import { deleteContents } from "./contents.ts";
import { decideConditions, decideNext, NAMESPACE_FINALIZER } from "./decide.ts";

export async function reconcile(name: string, { api, clock, log }: ControllerDeps): Promise<Requeue> {
  const namespace = await read(name, api);
  if (!namespace?.metadata.deletionTimestamp) return done;
  if (!namespace.spec?.finalizers?.includes(NAMESPACE_FINALIZER)) return done;

  const { contents, isPartial } = await deleteContents(api, name);
  const nowMs = clock.nowMs();
  const next = decideNext(namespace, contents, nowMs);
  log.info("namespace plan", { key: name, ...next, contents });

  const before = namespace.status?.conditions ?? [];
  const conditions = decideConditions(before, contents, { isPartial, nowMs });
  const status = { ...namespace.status, phase: "Terminating", conditions };
  const isSame = JSON.stringify(before) === JSON.stringify(conditions) && namespace.status?.phase === "Terminating";
  // Written before the last step too: whoever watches sees that all five turned out well.
  const current = isSame ? namespace : await api.update<Namespace>(NAMESPACES, { ...namespace, status }, "status");
  switch (next.step) {
    case "retry":
      throw new Error(next.message);
    case "wait":
      return { afterMs: next.afterMs };
    case "finalize": {
      const finalizers = (current.spec?.finalizers ?? []).filter((finalizer) => finalizer !== NAMESPACE_FINALIZER);
      await api.update<Namespace>(NAMESPACES, { ...current, spec: { ...current.spec, finalizers } }, "finalize");
      return done;
    }
  }
}

/** From the API, not the cache: what follows cannot be undone. */
async function read(name: string, api: ControllerDeps["api"]): Promise<Namespace | undefined> {
  try {
    return await api.get<Namespace>(NAMESPACES, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
