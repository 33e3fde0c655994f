import { invalidValue } from "../../../shared/api/field-error.ts";
import type { JsonObject } from "../../../shared/api/json.ts";
import { checkQualifiedName } from "../../../shared/api/names.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import type { StatusCause } from "../../../shared/api/status.ts";
import { updatePart } from "../handlers/update.ts";
import type { UpdatePart } from "../handlers/update-object.ts";
import { keepField } from "../handlers/update-parts.ts";
import type { Handler } from "../resource-request.ts";
import { strategyFor, validateForUpdate } from "../strategy/index.ts";

const NAMESPACES = { group: "", resource: "namespaces" };

/** `namespaces/<name>/finalize`: the only way to change `spec.finalizers`. */
const finalizePart: UpdatePart = {
  prepare(namespace, old) {
    keepField(namespace, old, "status");
  },
  validate: (namespace, old) => [
    ...validateFinalizers(namespace),
    ...validateForUpdate(strategyFor(NAMESPACES), namespace, old, false),
  ],
};

function validateFinalizers({ spec }: KubeObject): StatusCause[] {
  const finalizers = ((spec as JsonObject | undefined)?.finalizers ?? []) as string[];
  return finalizers.flatMap((name, index) => {
    const field = `spec.finalizers[${index}]`;
    const messages = checkQualifiedName(name);
    if (messages.length === 0 && !name.includes("/") && name !== "kubernetes") {
      messages.push("name is neither a standard finalizer name nor is it fully qualified");
    }
    return messages.map((message) => invalidValue(field, name, message));
  });
}

export const finalizeNamespace: Handler = (request) => updatePart(request, finalizePart);
