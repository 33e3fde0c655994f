import { invalidValue } from "../../../shared/api/field-error.ts";
import type { ObjectMeta } from "../../../shared/api/object.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

/** The finalizers without a domain that Kubernetes itself gives a meaning. */
const STANDARD_FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Of built-in kinds alone: a custom resource may have any finalizer that is a qualified name. */
export const validateStandardFinalizers = ({ finalizers = [] }: ObjectMeta): StatusCause[] =>
  finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)) return [];
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalidValue(`metadata.finalizers[${index}]`, finalizer, why)];
  });
