import { type ApiError, failure, forbidden, notFound } from "../../../../shared/api/status.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../plugin.ts";

const NAMESPACES = { group: "", resource: "namespaces" };
/** Never deleted. */
const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);
/** Creates that answer a question and store nothing (upstream's accessReviewResources). */
const ACCESS_REVIEWS = new Set(["localsubjectaccessreviews"]);

/** Nothing is created in a namespace that is not there or is going away; three namespaces stay for ever. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",

  admit(request) {
    const { operation, attributes } = request;
    const { resource, namespace, name } = attributes;
    if (resource.group === "" && resource.resource === "namespaces") {
      if (operation === "DELETE" && !attributes.subresource && IMMORTAL.has(name ?? "")) {
        throw forbidden(NAMESPACES, name!, "this namespace may not be deleted");
      }
      return;
    }
    if (operation !== "CREATE" || !namespace || ACCESS_REVIEWS.has(resource.resource)) return;
    return admitInto(namespace, request);
  },
};

async function admitInto(name: string, { attributes, object, reader }: AdmissionRequest): Promise<void> {
  const namespace = await reader.get(NAMESPACES, name);
  if (!namespace) throw notFound(NAMESPACES, name);
  const { phase } = (namespace.status ?? {}) as { phase?: string };
  if (phase !== "Terminating" && !namespace.metadata.deletionTimestamp) return;
  throw terminating(name, attributes.resource, attributes.name || object?.metadata.name || "");
}

function terminating(namespace: string, gr: { group: string; resource: string }, name: string): ApiError {
  const { status } = forbidden(
    gr,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  return failure(403, "Forbidden", status.message ?? "", {
    ...status.details,
    causes: [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  });
}
