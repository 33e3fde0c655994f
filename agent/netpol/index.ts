/**
 * NetworkPolicies on this node: who may reach its pods, and whom they may reach. The policies of the whole cluster become
 * the rules for the pods that run here (`PolicyEngine`, pure), and one nftables table follows them (`keepPolicies`).
 * Between the two stands what changed, so that a sync costs as much as the change. Without any policy there is no table,
 * and the cluster's pods are not followed.
 */
export { startPolicies } from "./policies.ts";
