import { describe, expect, it } from "vitest";
import { chooseNetwork } from "./control-plane.ts";

const DUAL = { clusterCidr: "10.244.0.0/16,fd00:10:244::/48", serviceClusterIpRange: "10.96.0.0/16,fd00:10:96::/112" };
const KEPT = {
  clusterCidrs: ["10.244.0.0/16", "fd00:10:244::/48"],
  serviceCidrs: ["10.96.0.0/16", "fd00:10:96::/112"],
};

describe("the network of `hearth up`", () => {
  it.each([
    { name: "is nobody's business by default", kept: undefined, options: {}, isMade: false, want: undefined },
    { name: "is kept", kept: KEPT, options: {}, isMade: true, want: KEPT },
    { name: "is of both families", kept: undefined, options: DUAL, isMade: true, want: KEPT },
    {
      name: "is the default one",
      kept: undefined,
      options: { clusterCidr: "10.244.0.0/16" },
      isMade: true,
      want: undefined,
    },
    {
      name: "loses a family",
      kept: KEPT,
      options: { serviceClusterIpRange: "10.96.0.0/16" },
      isMade: true,
      want: { ...KEPT, serviceCidrs: ["10.96.0.0/16"] },
    },
    {
      name: "is another's, before there is a cluster",
      kept: KEPT,
      options: { clusterCidr: "172.16.0.0/16" },
      isMade: false,
      want: { ...KEPT, clusterCidrs: ["172.16.0.0/16"] },
    },
  ])("$name", ({ kept, options, isMade, want }) => expect(chooseNetwork(kept, options, isMade)).toEqual(want));

  it.each([
    { options: { clusterCidr: "172.16.0.0/16" }, why: "--cluster-cidr: the cluster has 10.244.0.0/16" },
    { options: { serviceClusterIpRange: "web" }, why: '--service-cluster-ip-range: "web" is not a CIDR' },
  ])("refuses: $why", ({ options, why }) => expect(() => chooseNetwork(KEPT, options, true)).toThrow(why));
});
