import type { KubeObject } from "../../../../shared/api/object.ts";
import { generateName } from "../../object-metadata.ts";
import { type AdmissionPlugin, type AdmissionRequest, nameError, refuse, specOf, targetOf } from "../plugin.ts";

const SERVICE_ACCOUNTS = { group: "", resource: "serviceaccounts" };
const DEFAULT_NAME = "default";
const VOLUME_PREFIX = "kube-api-access-";
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour, and a few seconds that mark the token as one of this plugin's. */
const TOKEN_SECONDS = 3607;
/** 0644 */
const FILE_MODE = 420;
const MIRROR_POD = "kubernetes.io/config.mirror";

/** The account of a new namespace is made by a controller: it gets some time. */
const DEFAULT_ACCOUNT_ATTEMPTS = 10;
const RETRY_MS = 100;

interface Container {
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}

interface PodSpec {
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
  volumes?: { name: string; [source: string]: unknown }[];
  containers?: Container[];
  initContainers?: Container[];
}

interface ServiceAccount extends KubeObject {
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
}

/** Every pod runs as a service account of its namespace, with its token mounted unless somebody does not want it. */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",

  admit(request) {
    if (request.operation !== "CREATE" || targetOf(request.attributes) !== "pods") return;
    const pod = request.object!;
    if (pod.metadata.annotations?.[MIRROR_POD] !== undefined) {
      refuseMirrorPod(request);
      return;
    }
    return admitPod(request, pod);
  },
};

async function admitPod(request: AdmissionRequest, pod: KubeObject): Promise<void> {
  const spec = specOf(pod) as PodSpec;
  spec.serviceAccountName = spec.serviceAccountName || DEFAULT_NAME;
  spec.serviceAccount = spec.serviceAccountName;
  const account = await findAccount(request, spec.serviceAccountName);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
  const pullSecrets = account.imagePullSecrets ?? [];
  if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0) {
    spec.imagePullSecrets = pullSecrets.map(({ name }) => ({ name }));
  }
}

function refuseMirrorPod(request: AdmissionRequest): void {
  const { serviceAccountName } = (request.object!.spec ?? {}) as PodSpec;
  if (serviceAccountName) throw refuse(request, "a mirror pod may not reference service accounts");
}

async function findAccount(request: AdmissionRequest, name: string): Promise<ServiceAccount> {
  const { namespace = "" } = request.attributes;
  const notFound = (why: string) => refuse(request, `error looking up service account ${namespace}/${name}: ${why}`);
  const error = nameError(name);
  if (error) throw notFound(error);
  const attempts = name === DEFAULT_NAME ? DEFAULT_ACCOUNT_ATTEMPTS : 1;
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await scheduler.wait(RETRY_MS);
    const account = await request.reader.get(SERVICE_ACCOUNTS, name, namespace);
    if (account) return account as ServiceAccount;
  }
  throw notFound(`serviceaccount ${JSON.stringify(name)} not found`);
}

/** A mount in each container that has nothing at the path, and one volume for all of them. */
function mountToken(spec: PodSpec): void {
  const known = spec.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX));
  const name = known?.name ?? generateName(VOLUME_PREFIX);
  let isMounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    isMounted = true;
  }
  if (isMounted && !known) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

const tokenVolume = (name: string) => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: FILE_MODE,
  },
});
