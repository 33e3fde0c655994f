/**
 * Whether this node runs a pod that was bound to it: resources, ports, labels, taints, sysctls and what the kernel can do,
 * with the kubelet's reasons. It decides and keeps count; carrying out a rejection is the pod worker's work.
 */
export { createGate, type Gate } from "./gate.ts";
export type { Rejection } from "./verdict.ts";
