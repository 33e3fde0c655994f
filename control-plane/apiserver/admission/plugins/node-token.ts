import type { KubeObject } from "../../../../shared/api/object.ts";
import { notFound } from "../../../../shared/api/status.ts";
import { authorizeByRoles } from "../../authz/rbac.ts";
import { type AdmissionRequest, refuse } from "../plugin.ts";

const PODS = { group: "", resource: "pods" };
const CSI_DRIVERS = { group: "storage.k8s.io", resource: "csidrivers" };

interface TokenRequest extends KubeObject {
  spec?: {
    audiences?: string[];
    boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string } | null;
  };
}

interface Volume {
  projected?: { sources?: { serviceAccountToken?: { audience?: string } }[] };
  csi?: { driver?: string };
}

interface PodSpec {
  nodeName?: string;
  volumes?: Volume[];
}

/**
 * A node gets tokens only for a pod that runs on it, bound to that pod so that they end with it, and for an audience
 * that the pod names: a node that was broken into must not collect tokens that outlive its pods.
 * @see kubernetes, plugin/pkg/admission/noderestriction; KEP-4412 for the audience
 */
export async function admitNodeToken(node: string, request: AdmissionRequest): Promise<void> {
  const { spec } = request.object as TokenRequest;
  const { apiVersion, kind, name, uid } = spec?.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name) throw refuse(request, "node requested token not bound to a pod");
  if (!uid) throw refuse(request, "node requested token with a pod binding without a uid");
  const pod = await request.reader.getLive(PODS, name, request.attributes.namespace);
  if (!pod) throw notFound(PODS, name);
  if (uid !== pod.metadata.uid) {
    throw refuse(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const podSpec = (pod.spec ?? {}) as PodSpec;
  if (podSpec.nodeName !== node) {
    throw refuse(request, "node requested token bound to a pod scheduled on a different node");
  }
  await admitAudience(request, spec?.audiences ?? [], podSpec);
}

/** No audience stands for the API server's own, in a volume as in a request. */
async function admitAudience(request: AdmissionRequest, audiences: string[], { volumes = [] }: PodSpec): Promise<void> {
  if (audiences.length > 1) throw refuse(request, "node may only request 0 or 1 audiences");
  const [audience = ""] = audiences;
  for (const volume of volumes) {
    const sources = volume.projected?.sources ?? [];
    if (sources.some(({ serviceAccountToken: token }) => token && (token.audience ?? "") === audience)) return;
    if (volume.csi?.driver && (await isForDriver(request, volume.csi.driver, audience))) return;
  }
  if (await mayAskFor(request, audience)) return;
  throw refuse(
    request,
    `audience ${JSON.stringify(audience)} not found in pod spec volume, ${request.user.username} is not authorized to request tokens for this audience`,
  );
}

async function isForDriver({ reader }: AdmissionRequest, name: string, audience: string): Promise<boolean> {
  const driver = await reader.get(CSI_DRIVERS, name);
  const { tokenRequests = [] } = (driver?.spec ?? {}) as { tokenRequests?: { audience?: string }[] };
  return tokenRequests.some((token) => (token.audience ?? "") === audience);
}

/** A right by which an administrator widens it: the audience stands where the resource does. */
async function mayAskFor({ user, attributes, reader }: AdmissionRequest, audience: string): Promise<boolean> {
  const { namespace = "", name = "" } = attributes;
  const verb = "request-serviceaccounts-token-audience";
  const access = { user, verb, isResource: true, group: "", version: "v1", resource: audience, subresource: "" };
  return (await authorizeByRoles({ ...access, namespace, name, path: "" }, reader)).allowed;
}
