import type { Namespace } from "../../../shared/api/types.ts";
import { updatePart } from "../handlers/update.ts";
import type { UpdatePart } from "../handlers/update-object.ts";
import { keepField } from "../handlers/update-parts.ts";
import type { Handler } from "../resource-request.ts";
import { validateFinalize, validateForUpdate } from "../strategy/index.ts";

/** `namespaces/<name>/finalize`: the only way to change `spec.finalizers`. */
const finalizePart: UpdatePart = {
  prepare(namespace, old) {
    keepField(namespace, old, "status");
  },
  validate: (namespace, old) =>
    validateForUpdate({ validateUpdate: (object) => validateFinalize(object as Namespace) }, namespace, old, false),
};

export const finalizeNamespace: Handler = (request) => updatePart(request, finalizePart);
