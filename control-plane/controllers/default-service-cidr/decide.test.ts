import { expect, it } from "vitest";
import { type ClusterNetwork, DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import type { ServiceCIDR } from "../../../shared/api/types.ts";
import { decide, type Plan } from "./decide.ts";

const cidr = (status?: string, cidrs = ["10.96.0.0/16"]): ServiceCIDR => ({
  metadata: { name: "kubernetes" },
  spec: { cidrs },
  status: status
    ? { conditions: [{ type: "Ready", status, reason: "Why", message: "text", lastTransitionTime: "" as never }] }
    : {},
});

const dual = { ...DEFAULT_CLUSTER_NETWORK, serviceCidrs: ["10.96.0.0/16", "fd00:10:96::/112"] };

it.each<{ name: string; cidr?: ServiceCIDR; network?: ClusterNetwork; want: Plan }>([
  {
    name: "makes it when it is missing",
    want: { step: "create", object: { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.96.0.0/16"] } } },
  },
  {
    name: "makes it of both families",
    network: dual,
    want: { step: "create", object: { metadata: { name: "kubernetes" }, spec: { cidrs: dual.serviceCidrs } } },
  },
  {
    name: "gives it the second family",
    cidr: cidr("True"),
    network: dual,
    want: { step: "update", object: cidr("True", dual.serviceCidrs) },
  },
  { name: "leaves it when it has both", cidr: cidr("True", dual.serviceCidrs), network: dual, want: { step: "none" } },
  { name: "says that it is ready", cidr: cidr(), want: { step: "ready" } },
  { name: "says so where it is unknown", cidr: cidr("Unknown"), want: { step: "ready" } },
  { name: "leaves it when it is", cidr: cidr("True"), want: { step: "none" } },
  {
    name: "does not argue with who says that it is not",
    cidr: cidr("False"),
    want: { step: "warn", warning: { reason: "Why", message: "Configuration matches, but text" } },
  },
  {
    name: "complains of another range",
    cidr: cidr("True", ["10.0.0.0/8", "fd00::/112"]),
    want: {
      step: "warn",
      warning: {
        reason: "KubernetesDefaultServiceCIDRInconsistent",
        message:
          "The default ServiceCIDR [10.0.0.0/8 fd00::/112] does not match the controller flag configurations [10.96.0.0/16]",
      },
    },
  },
  {
    name: "leaves the deletion to others",
    cidr: { ...cidr(), metadata: { name: "kubernetes", deletionTimestamp: "2026-10-21T08:00:00Z" } },
    want: { step: "none" },
  },
])("$name", ({ cidr, network = DEFAULT_CLUSTER_NETWORK, want }) => expect(decide(cidr, network)).toEqual(want));
