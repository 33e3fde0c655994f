import { STATEFUL_SETS } from "../../../shared/api/refs.ts";
import type { Pod, PodTemplateSpec, StatefulSet, Volume } from "../../../shared/api/types.ts";
import { REVISION_LABEL } from "../controller-revision/index.ts";
import { podFromTemplate } from "../pod-control.ts";
import { claimName, identityOf, ordinalOf, podName } from "./ordinal.ts";

const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";

export const revisionOf = (pod: Pod): string => pod.metadata.labels?.[REVISION_LABEL] ?? "";

export interface PodOf {
  template: PodTemplateSpec;
  /** The name of the revision that the template is of. */
  revision: string;
  ordinal: number;
}

/** The pod of an ordinal, with its own host name below the set's Service and its own claims. */
export function newPod(set: StatefulSet, { template, revision, ordinal }: PodOf): Pod {
  const pod = podFromTemplate(template, set, STATEFUL_SETS);
  pod.metadata.name = podName(set, ordinal);
  setIdentity(set, pod);
  pod.metadata.labels = { ...pod.metadata.labels, [REVISION_LABEL]: revision };
  pod.spec.hostname = pod.metadata.name;
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName;
  setStorage(set, pod);
  return pod;
}

/** Sets the labels that tell which pod of the set it is. */
export function setIdentity(set: StatefulSet, pod: Pod): void {
  const ordinal = ordinalOf(pod);
  pod.metadata.labels = {
    ...pod.metadata.labels,
    [POD_NAME_LABEL]: podName(set, ordinal),
    [POD_INDEX_LABEL]: String(ordinal),
  };
}

/** The claims of the set's templates come first, in place of volumes of the same names. */
export function setStorage(set: StatefulSet, pod: Pod): void {
  const names = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? "");
  if (names.length === 0) return;
  const claims: Volume[] = names.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: claimName(set, name, ordinalOf(pod)) },
  }));
  pod.spec.volumes = [...claims, ...(pod.spec.volumes ?? []).filter(({ name }) => !names.includes(name))];
}

export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { parent, ordinal } = identityOf(pod.metadata.name);
  const { name, labels } = pod.metadata;
  return (
    ordinal >= 0 && parent === set.metadata.name && podName(set, ordinal) === name && labels?.[POD_NAME_LABEL] === name
  );
}

export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod);
  return (set.spec.volumeClaimTemplates ?? []).every(({ metadata }) => {
    const name = metadata?.name ?? "";
    const volume = pod.spec.volumes?.find((candidate) => candidate.name === name);
    return volume?.persistentVolumeClaim?.claimName === claimName(set, name, ordinal);
  });
}
