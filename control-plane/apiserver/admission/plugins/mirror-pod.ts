import type { KubeObject } from "../../../../shared/api/object.ts";
import { referencesOf } from "../../../../shared/api/pod-references.ts";
import { notFound } from "../../../../shared/api/status.ts";
import { type AdmissionRequest, refuse } from "../plugin.ts";

const MIRROR_POD = "kubernetes.io/config.mirror";
const NODES = { group: "", resource: "nodes" };

interface Projection {
  configMap?: object;
  secret?: object;
  serviceAccountToken?: object;
  clusterTrustBundle?: object;
  podCertificate?: object;
  downwardAPI?: object;
}

interface MirrorSpec {
  nodeName?: string;
  serviceAccountName?: string;
  resourceClaims?: object[];
  volumes?: (Record<string, object | undefined> & { projected?: { sources?: Projection[] } })[];
}

/**
 * A node shows its static pods as mirrors, which run whatever the API says: such a pod is the node's own in all its parts,
 * and names no object of the API, or a node that was broken into would get to read it.
 * @see kubernetes, plugin/pkg/admission/noderestriction
 */
export async function admitMirrorPod(node: string, request: AdmissionRequest): Promise<void> {
  const quoted = JSON.stringify(node);
  const pod = request.object!;
  if (pod.metadata.annotations?.[MIRROR_POD] === undefined) {
    throw refuse(
      request,
      `pod does not have ${JSON.stringify(MIRROR_POD)} annotation, node ${quoted} can only create mirror pods`,
    );
  }
  if ((pod.spec as MirrorSpec | undefined)?.nodeName !== node) {
    throw refuse(request, `node ${quoted} can only create pods with spec.nodeName set to itself`);
  }
  await admitOwner(node, request);
  const referenced = findReference(pod);
  if (referenced) throw refuse(request, `node ${quoted} can not create pods that reference ${referenced}`);
}

async function admitOwner(node: string, request: AdmissionRequest): Promise<void> {
  const can = `node ${JSON.stringify(node)} can only create pods with`;
  const owners = request.object!.metadata.ownerReferences ?? [];
  if (owners.length > 1) throw refuse(request, `${can} a single owner reference set to itself`);
  const [owner] = owners;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    throw refuse(request, `${can} an owner reference set to itself`);
  }
  if (owner.controller !== true) throw refuse(request, `${can} a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true) {
    throw refuse(request, `node ${JSON.stringify(node)} must not set blockOwnerDeletion on an owner reference`);
  }
  const found = await request.reader.getLive(NODES, node);
  if (!found) throw notFound(NODES, node);
  if (owner.uid !== found.metadata.uid) {
    throw refuse(request, `node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`);
  }
}

/** What the pod refers to, as upstream names it; undefined if that is nothing. */
function findReference(pod: KubeObject): string | undefined {
  const spec = (pod.spec ?? {}) as MirrorSpec;
  if (spec.serviceAccountName) return "serviceaccounts";
  const { secrets, configmaps } = referencesOf(pod);
  if (secrets!.size > 0) return "secrets";
  if (configmaps!.size > 0) return "configmaps";
  if (spec.resourceClaims?.length) return "resourceclaims";
  for (const volume of spec.volumes ?? []) {
    const found = VOLUMES.find(([source]) => volume[source])?.[1] ?? findProjected(volume.projected?.sources ?? []);
    if (found) return found;
  }
  return undefined;
}

/** Also those that name nothing yet: an empty name is completed by nobody, but it is asked for. */
const VOLUMES: [source: string, what: string][] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

function findProjected(sources: Projection[]): string | undefined {
  for (const source of sources) {
    if (source.configMap) return "configmaps (via projected volumes)";
    if (source.secret) return "secrets (via projected volumes)";
    if (source.serviceAccountToken) return "serviceaccounts (via projected volumes)";
    if (source.clusterTrustBundle) return "clustertrustbundles";
    if (source.podCertificate) return "podcertificates";
  }
  return undefined;
}
