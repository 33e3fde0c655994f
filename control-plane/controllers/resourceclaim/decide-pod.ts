import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../../shared/api/types.ts";
import { controllerOf } from "../../runtime/index.ts";

/** Which of a pod's claims a claim was made for. */
export const POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name";
/** Leaves room for five random characters in a name of 63. */
const MAX_NAME_BASE = 57;

type PodClaim = NonNullable<Pod["spec"]["resourceClaims"]>[number];

export interface KnownClaims {
  claim(name: string): ResourceClaim | undefined;
  /** The claim made for one of the pod's, whether or not the pod says so yet. */
  madeFor(podClaim: string): string | undefined;
  template(name: string): ResourceClaimTemplate | undefined;
}

export interface PodPlan {
  /** Claims that are missing, by the pod's name for them. */
  create: { podClaim: string; claim: ResourceClaim }[];
  /** Claims that exist, and that the pod's status does not name. */
  name: { podClaim: string; claim: string }[];
  /** Allocated claims that a running pod uses without having reserved them. */
  reserve: ResourceClaim[];
  /** Why the first claim that cannot be made cannot. */
  failure?: string;
}

/** What the claims of a pod lack. A pod without a node has its claims reserved by the scheduler. */
export function decidePod(pod: Pod, known: KnownClaims): PodPlan {
  const plan: PodPlan = { create: [], name: [], reserve: [] };
  if (pod.metadata.deletionTimestamp) return plan;
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    const named = nameIn(pod, podClaim);
    const claim = named && known.claim(named);
    const isThere =
      claim && (podClaim.resourceClaimName !== undefined || controllerOf(claim)?.uid === pod.metadata.uid);
    if (isThere) {
      if (pod.spec.nodeName && isUnreserved(claim, pod)) plan.reserve.push(claim);
      continue;
    }
    const { name, resourceClaimTemplateName } = podClaim;
    // Nobody but its user makes a claim that is used by name; one that was found unnecessary has an empty name.
    if (resourceClaimTemplateName === undefined || named === "") continue;
    const made = known.madeFor(name);
    if (made !== undefined) {
      if (made !== named) plan.name.push({ podClaim: name, claim: made });
      continue;
    }
    const template = known.template(resourceClaimTemplateName);
    if (!template) {
      const quoted = JSON.stringify(resourceClaimTemplateName);
      const missing = `resourceclaimtemplate.resource.k8s.io ${quoted} not found`;
      plan.failure = `PodResourceClaim ${name}: resource claim template ${quoted}: ${missing}`;
      break;
    }
    plan.create.push({ podClaim: name, claim: claimFrom(template, pod, name) });
  }
  return plan;
}

/** Undefined: not known yet; empty: none is needed. */
function nameIn({ status }: Pod, { name, resourceClaimName }: PodClaim): string | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName;
  const made = status?.resourceClaimStatuses?.find((entry) => entry.name === name);
  return made && (made.resourceClaimName ?? "");
}

const isUnreserved = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  !!status?.allocation && !status.reservedFor?.some(({ uid }) => uid === metadata.uid);

function claimFrom({ spec }: ResourceClaimTemplate, { metadata }: Pod, podClaim: string): ResourceClaim {
  const { name, namespace, uid } = metadata;
  const { annotations, labels } = (spec.metadata ?? {}) as ResourceClaim["metadata"];
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      name: "",
      generateName: generatedNameBase(name, podClaim),
      namespace,
      annotations: { ...annotations, [POD_CLAIM_NAME]: podClaim },
      ...(labels ? { labels } : {}),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid: uid!, controller: true }],
    },
    spec: spec.spec,
  };
}

/** Of long names each part is cut in proportion, so that something is left of both. */
function generatedNameBase(pod: string, podClaim: string): string {
  const full = `${pod}-${podClaim}-`;
  if (full.length <= MAX_NAME_BASE) return full;
  const cut = (text: string) => text.slice(0, Math.trunc((text.length * MAX_NAME_BASE) / full.length));
  return `${cut(pod)}-${cut(podClaim)}`;
}
