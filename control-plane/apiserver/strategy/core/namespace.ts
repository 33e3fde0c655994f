import { invalidEach, invalidValue } from "../../../../shared/api/field-error.ts";
import { checkQualifiedName, nameIsLabel } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Namespace } from "../../../../shared/api/types.ts";
import type { Strategy } from "../strategy.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";
const STANDARD_FINALIZERS = ["kubernetes", "orphan", "foregroundDeletion"];

/** A finalizer of ours, or a qualified one. */
function checkFinalizer(name: string, field: string): StatusCause[] {
  const causes = invalidEach(field, name, checkQualifiedName(name));
  if (!name.includes("/") && !STANDARD_FINALIZERS.includes(name)) {
    causes.push(invalidValue(field, name, "name is neither a standard finalizer name nor is it fully qualified"));
  }
  return causes;
}

const applyDefaults = (namespace: Namespace): void => {
  namespace.spec ??= {};
  if (namespace.metadata.name) {
    namespace.metadata.labels = { ...namespace.metadata.labels, [NAME_LABEL]: namespace.metadata.name };
  }
};

/** The finalize subresource: `spec.finalizers` as sent. */
export const validateFinalize = (namespace: Namespace): StatusCause[] =>
  (namespace.spec?.finalizers ?? []).flatMap((name, index) => checkFinalizer(name, `spec.finalizers[${index}]`));

export const NAMESPACE_STRATEGY: Strategy<Namespace> = {
  checksMetaAgain: true,
  nameRule: nameIsLabel,
  applyDefaults,
  prepareForCreate: (namespace) => {
    // The name may have been generated since.
    applyDefaults(namespace);
    namespace.status = { phase: "Active" };
    const finalizers = namespace.spec?.finalizers ?? [];
    namespace.spec = {
      ...namespace.spec,
      finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"],
    };
  },
  prepareForUpdate: (namespace, old) => {
    namespace.spec = { ...namespace.spec, finalizers: old.spec?.finalizers };
  },
  validate: (namespace) =>
    (namespace.spec?.finalizers ?? []).flatMap((name) => checkFinalizer(name, "spec.finalizers")),
  validateStatusUpdate: ({ metadata, status }) => {
    const phase = status?.phase ?? "";
    const wanted = metadata.deletionTimestamp ? "Terminating" : "Active";
    const when = metadata.deletionTimestamp ? "is not empty" : "is empty";
    return phase === wanted
      ? []
      : [invalidValue("status.Phase", phase, `may only be '${wanted}' if \`deletionTimestamp\` ${when}`)];
  },
  fields: ({ metadata, status }) => ({ "status.phase": status?.phase ?? "", name: metadata.name }),
  tracksGeneration: false,
};
