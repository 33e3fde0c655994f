import { hostPortsCollide, hostPortsOf } from "../../../shared/api/host-ports.ts";
import { matchesNodeSelectors } from "../../../shared/api/node-selector.ts";
import { tolerates } from "../../../shared/api/toleration.ts";
import type { Node } from "../../../shared/api/types.ts";
import { isCritical, isStatic, type Pod } from "../../api/index.ts";
import { EVICTED, type Pressure, whyNotUnderPressure } from "../../eviction/index.ts";
import { decidePreemption } from "./preemption.ts";
import { findShortages, type Shortage } from "./shortages.ts";
import { whySysctlForbidden } from "./sysctls.ts";
import type { Admission, Rejection } from "./verdict.ts";

export interface AdmissionInputs {
  node: Node;
  /** The pods that were let in and have not ended. */
  others: Pod[];
  hasAppArmor: boolean;
  /** Names, or prefixes that end in `*`: what the node's administrator has taken on himself. */
  allowedUnsafeSysctls: string[];
  /** That the node is under. */
  pressures: ReadonlySet<Pressure>;
}

/** Node.status.features of the runtime (KEP-3619); not in the generated types' core. */
type NodeFeatures = { supplementalGroupsPolicy?: boolean } | undefined;

/**
 * Whether the node takes a pod that was bound to it. The scheduler has looked before, but from afar: others may have been
 * bound at the same time, or past it. Reasons and messages are the kubelet's (pkg/kubelet/lifecycle), in its order.
 */
export function decideAdmission(pod: Pod, inputs: AdmissionInputs): Admission {
  const { node, others, hasAppArmor, allowedUnsafeSysctls, pressures } = inputs;
  const pressure = whyNotUnderPressure(pod, pressures);
  if (pressure !== undefined) return { rejection: { reason: EVICTED, message: pressure } };
  const sysctl = whySysctlForbidden(pod, allowedUnsafeSysctls);
  if (sysctl) return { rejection: { reason: "SysctlForbidden", message: sysctl } };
  const system = checkSystem(pod, node);
  if (system) return { rejection: system };
  const shortages = findShortages(pod, node, others);
  const placement = checkPlacement(pod, node, others);
  const preempts = shortages.length > 0 && isCritical(pod) && !placement;
  const rejection =
    (isCritical(pod) ? placement : ((shortages[0] && printShortage(shortages[0])) ?? placement)) ??
    checkAppArmor(pod, hasAppArmor);
  if (rejection) return { rejection };
  return preempts ? decidePreemption(pod, others, shortages) : { preempt: [] };
}

function checkSystem({ metadata, spec }: Pod, node: Node): Rejection | undefined {
  const os = metadata.labels?.["kubernetes.io/os"];
  if (os !== undefined && os !== "linux") {
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (spec.os && spec.os.name !== "linux") {
    return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  const features = node.status?.features as NodeFeatures;
  if (spec.securityContext?.supplementalGroupsPolicy === "Strict" && !features?.supplementalGroupsPolicy) {
    return {
      reason: "SupplementalGroupsPolicyNotSupported",
      message: "SupplementalGroupsPolicy=Strict is not supported in this node",
    };
  }
  return undefined;
}

export const printShortage = ({ resource, requested, used, capacity }: Shortage): Rejection => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
});

function checkPlacement(pod: Pod, node: Node, others: Pod[]): Rejection | undefined {
  const failed = (name: string, why: string) => ({ reason: name, message: `Predicate ${name} failed: ${why}` });
  if (!matchesNodeSelectors(pod, node)) {
    return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  if (pod.spec.nodeName !== node.metadata.name) {
    return failed("NodeName", "node(s) didn't match the requested node name");
  }
  const wanted = hostPortsOf(pod);
  const taken = wanted.length === 0 ? [] : others.flatMap(hostPortsOf);
  if (wanted.some((port) => taken.some((other) => hostPortsCollide(port, other)))) {
    return failed("NodePorts", "node(s) didn't have free ports for the requested pod ports");
  }
  const evicting = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  if (!isStatic(pod) && evicting.some((taint) => !tolerates(pod.spec.tolerations ?? [], taint))) {
    return failed("TaintToleration", "node(s) had untolerated taint(s)");
  }
  return undefined;
}

/** A profile that the kernel cannot enforce must not be taken for one that it does. */
function checkAppArmor({ spec, metadata }: Pod, hasAppArmor: boolean): Rejection | undefined {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const profiles = [spec, ...containers].map(({ securityContext }) => securityContext?.appArmorProfile?.type);
  const annotated = Object.entries(metadata.annotations ?? {}).some(
    ([key, value]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/") && value !== "unconfined",
  );
  const needsIt = annotated || profiles.some((type) => type === "Localhost" || type === "RuntimeDefault");
  if (hasAppArmor || !needsIt) return undefined;
  return { reason: "AppArmor", message: "Cannot enforce AppArmor: AppArmor is not enabled on the host" };
}
