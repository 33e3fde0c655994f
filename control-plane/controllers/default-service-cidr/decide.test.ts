import { expect, it } from "vitest";
import type { ServiceCIDR } from "../../../shared/api/types.ts";
import { decide, type Plan } from "./decide.ts";

const cidr = (status?: string, cidrs = ["10.96.0.0/16"]): ServiceCIDR => ({
  metadata: { name: "kubernetes" },
  spec: { cidrs },
  status: status
    ? { conditions: [{ type: "Ready", status, reason: "Why", message: "text", lastTransitionTime: "" as never }] }
    : {},
});

it.each<{ name: string; cidr?: ServiceCIDR; want: Plan }>([
  {
    name: "makes it when it is missing",
    want: { step: "create", object: { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.96.0.0/16"] } } },
  },
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
])("$name", ({ cidr, want }) => expect(decide(cidr)).toEqual(want));
