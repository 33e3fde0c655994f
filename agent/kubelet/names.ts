import { join } from "node:path";
import type { Container, Pod } from "../api/index.ts";
import type { Container as RuntimeContainer } from "../cri/index.ts";

/** Labels and annotations by which the runtime's objects are found again; upstream's, so that crictl and others know them. */
export const POD_NAME_LABEL = "io.kubernetes.pod.name";
export const POD_NAMESPACE_LABEL = "io.kubernetes.pod.namespace";
export const POD_UID_LABEL = "io.kubernetes.pod.uid";
export const CONTAINER_NAME_LABEL = "io.kubernetes.container.name";
export const HASH_ANNOTATION = "io.kubernetes.container.hash";
export const RESTART_COUNT_ANNOTATION = "io.kubernetes.container.restartCount";
export const TERMINATION_PATH_ANNOTATION = "io.kubernetes.container.terminationMessagePath";
export const TERMINATION_POLICY_ANNOTATION = "io.kubernetes.container.terminationMessagePolicy";
export const GRACE_PERIOD_ANNOTATION = "io.kubernetes.pod.terminationGracePeriod";
export const PRE_STOP_ANNOTATION = "io.kubernetes.container.preStopHandler";
/** Which agent made a sandbox: several may share one runtime, with each other or with another kubelet. */
export const INSTANCE_ANNOTATION = "hearth.dev/agent-instance";
export const PORTS_ANNOTATION = "io.kubernetes.container.ports";

/** Where log collectors look for it. */
export const POD_LOGS_ROOT = "/var/log/pods";

export const podLogDirectory = ({ metadata: { namespace, name, uid } }: Pod, root = POD_LOGS_ROOT) =>
  join(root, `${namespace}_${name}_${uid}`);

/** Relative to the pod's log directory. */
export const containerLogPath = (container: Container, restartCount: number) =>
  join(container.name, `${restartCount}.log`);

/** The same of one that the runtime has, whole. */
export function containerLog(
  { labels, metadata }: Pick<RuntimeContainer, "labels" | "metadata">,
  root: string,
): string {
  const pod = [POD_NAMESPACE_LABEL, POD_NAME_LABEL, POD_UID_LABEL].map((label) => labels[label]);
  return join(root, pod.join("_"), metadata.name, `${metadata.attempt}.log`);
}

const MAX_HOSTNAME_LENGTH = 63;
/** Linux: __NEW_UTS_LEN. */
const MAX_NODENAME_LENGTH = 64;

/** The pod's host name and the domain it belongs to, which is empty without a subdomain. */
export function podHostname(pod: Pod, clusterDomain: string): { hostname: string; domain: string } {
  const { spec, metadata } = pod;
  const cut = (name: string) =>
    name.length <= MAX_HOSTNAME_LENGTH ? name : name.slice(0, MAX_HOSTNAME_LENGTH).replace(/[-.]+$/, "");
  if (spec.hostnameOverride) return { hostname: cut(spec.hostnameOverride), domain: "" };
  const domain = spec.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.${clusterDomain}` : "";
  return { hostname: cut(spec.hostname || metadata.name), domain };
}

/**
 * What `hostname` prints in the pod: with setHostnameAsFQDN its whole name, if it has a domain.
 * @throws Error in upstream's words if the kernel has no room for it
 */
export function kernelHostname(pod: Pod, clusterDomain: string): string {
  const { hostname, domain } = podHostname(pod, clusterDomain);
  if (!pod.spec.setHostnameAsFQDN || domain === "") return hostname;
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length <= MAX_NODENAME_LENGTH) return fqdn;
  throw new Error(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${MAX_NODENAME_LENGTH} characters is the max, ${fqdn.length} characters requested)`,
  );
}
