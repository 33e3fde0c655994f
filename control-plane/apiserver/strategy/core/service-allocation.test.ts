import { describe, expect, it } from "vitest";
import { parseCidr } from "../../../../shared/api/ip.ts";
import type { Service } from "../../../../shared/api/types.ts";
import type { AllocationContext } from "../strategy.ts";
import { allocateService, serviceClaims } from "./service-allocation.ts";

const DUAL = ["10.96.0.0/16", "fd00:10:96::/112"];
const SINGLE = ["10.96.0.0/16"];
/** The first of each range that is drawn while `random` gives 0. */
const [V4, V6] = ["10.96.1.1", "fd00:10:96::101"];

type Spec = Partial<Service["spec"]>;
const service = (spec: Spec): Service => ({
  metadata: { name: "s" },
  spec: { type: "ClusterIP", selector: { app: "s" }, ports: [{ port: 80 }], ...spec },
});
const context = (cidrs: string[], more: Partial<AllocationContext> = {}): AllocationContext => ({
  ...{ random: () => 0, taken: new Set<string>(), dryRun: false },
  ranges: cidrs.map((cidr) => parseCidr(cidr)!),
  families: cidrs.map((cidr) => (cidr.includes(":") ? "IPv6" : "IPv4")),
  ...more,
});
const fieldsOf = ({ spec }: Service) => [spec.ipFamilyPolicy, spec.ipFamilies, spec.clusterIPs];

const single = { clusterIP: V4, clusterIPs: [V4], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
const dual = { clusterIP: V4, clusterIPs: [V4, V6], ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" };
const none = { clusterIP: "None", clusterIPs: ["None"] };

describe("a new service", () => {
  it.each<{ name: string; spec: Spec; cidrs?: string[]; want: unknown[] }>([
    { name: "is of one family", spec: {}, want: ["SingleStack", ["IPv4"], [V4]] },
    { name: "of the other", spec: { ipFamilies: ["IPv6"] }, want: ["SingleStack", ["IPv6"], [V6]] },
    {
      name: "of both, if it prefers so",
      spec: { ipFamilyPolicy: "PreferDualStack" },
      want: ["PreferDualStack", ["IPv4", "IPv6"], [V4, V6]],
    },
    {
      name: "prefers both where there is one",
      spec: { ipFamilyPolicy: "PreferDualStack" },
      cidrs: SINGLE,
      want: ["PreferDualStack", ["IPv4"], [V4]],
    },
    {
      name: "in the order that it names",
      spec: { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6"] },
      want: ["RequireDualStack", ["IPv6", "IPv4"], [V6, V4]],
    },
    {
      name: "by an address of its own",
      spec: { ipFamilyPolicy: "PreferDualStack", clusterIP: "fd00:10:96::7", clusterIPs: ["fd00:10:96::7"] },
      want: ["PreferDualStack", ["IPv6", "IPv4"], ["fd00:10:96::7", V4]],
    },
    { name: "headless has families and no addresses", spec: none, want: ["SingleStack", ["IPv4"], ["None"]] },
    {
      name: "headless of both",
      spec: { ...none, ipFamilyPolicy: "PreferDualStack" },
      want: ["PreferDualStack", ["IPv4", "IPv6"], ["None"]],
    },
    {
      name: "whose endpoints are somebody's own may have any",
      spec: { ...none, selector: {} },
      cidrs: SINGLE,
      want: ["RequireDualStack", ["IPv4", "IPv6"], ["None"]],
    },
  ])("$name", ({ spec, cidrs = DUAL, want }) => {
    const object = service(spec);
    expect(allocateService(object, undefined, context(cidrs))).toEqual([]);
    expect(fieldsOf(object)).toEqual(want);
    expect(object.spec.clusterIP).toBe((want[2] as string[])[0]);
  });

  it.each<{ spec: Spec; cidrs?: string[]; field: string; why: string }>([
    {
      spec: { ipFamilyPolicy: "RequireDualStack" },
      cidrs: SINGLE,
      field: "spec.ipFamilyPolicy",
      why: 'Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    },
    {
      spec: { ipFamilies: ["IPv6"] },
      cidrs: SINGLE,
      field: "spec.ipFamilies[0]",
      why: 'Invalid value: "IPv6": not configured on this cluster',
    },
    {
      spec: { ipFamilies: ["IPv4", "IPv6"] },
      field: "spec.ipFamilyPolicy",
      why: "Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    },
    {
      spec: { clusterIP: "fd00:10:97::1", clusterIPs: ["fd00:10:97::1"] },
      field: "spec.clusterIPs",
      why: 'Invalid value: ["fd00:10:97::1"]: failed to allocate IP fd00:10:97::1: the provided network does not match the current range',
    },
  ])("is refused: $why", ({ spec, cidrs = DUAL, field, why }) => {
    expect(allocateService(service(spec), undefined, context(cidrs))).toMatchObject([{ field, message: why }]);
  });

  it("shows the range itself in a dry run", () => {
    const object = service({ ipFamilyPolicy: "PreferDualStack" });
    allocateService(object, undefined, context(DUAL, { dryRun: true }));
    expect(object.spec.clusterIPs).toEqual(["10.96.0.0", "fd00:10:96::"]);
  });

  it("holds an address however it is written", () => {
    expect(serviceClaims(service({ clusterIPs: ["10.96.0.7", "FD00:10:96:0::7"] }))).toEqual([
      "ip/10.96.0.7",
      "ip/fd00:10:96::7",
    ]);
    const asked = service({ clusterIP: "FD00:10:96:0::7", clusterIPs: ["FD00:10:96:0::7"] });
    const taken = new Set(["ip/fd00:10:96::7"]);
    expect(allocateService(asked, undefined, context(DUAL, { taken }))).toMatchObject([
      { message: expect.stringContaining("provided IP is already allocated") },
    ]);
  });
});

describe("a service that changes", () => {
  it.each<{ name: string; from: Spec; to: Spec; cidrs?: string[]; want: unknown[] }>([
    {
      name: "gets a second address",
      from: single,
      to: { ...single, ipFamilyPolicy: "PreferDualStack" },
      want: ["PreferDualStack", ["IPv4", "IPv6"], [V4, V6]],
    },
    {
      name: "gets the second address that it names",
      from: single,
      to: { ...single, ipFamilyPolicy: "RequireDualStack", clusterIPs: [V4, "fd00:10:96::9"] },
      want: ["RequireDualStack", ["IPv4", "IPv6"], [V4, "fd00:10:96::9"]],
    },
    {
      name: "lets the second go with the policy",
      from: dual,
      to: { ...dual, ipFamilyPolicy: "SingleStack" },
      want: ["SingleStack", ["IPv4"], [V4]],
    },
    {
      name: "lets the second go that it no longer names",
      from: dual,
      to: { ...single, ipFamilyPolicy: "SingleStack" },
      want: ["SingleStack", ["IPv4"], [V4]],
    },
    {
      name: "keeps one, though its cluster has both by now",
      from: { ...single, ipFamilyPolicy: "PreferDualStack" },
      to: { ...single, ipFamilyPolicy: "PreferDualStack" },
      want: ["PreferDualStack", ["IPv4"], [V4]],
    },
    {
      name: "keeps both, though its cluster has one left",
      from: { ...dual, ipFamilyPolicy: "PreferDualStack" },
      to: { ...dual, ipFamilyPolicy: "PreferDualStack" },
      cidrs: SINGLE,
      want: ["PreferDualStack", ["IPv4", "IPv6"], [V4, V6]],
    },
    {
      name: "keeps the policy that it does not name",
      from: dual,
      to: { ...dual, ipFamilyPolicy: undefined },
      want: ["RequireDualStack", ["IPv4", "IPv6"], [V4, V6]],
    },
    {
      name: "is a name no more",
      from: { type: "ExternalName", externalName: "example.com" },
      to: { ipFamilyPolicy: "PreferDualStack" },
      want: ["PreferDualStack", ["IPv4", "IPv6"], [V4, V6]],
    },
  ])("$name", ({ from, to, cidrs = DUAL, want }) => {
    const object = service(to);
    expect(allocateService(object, service(from), context(cidrs))).toEqual([]);
    expect(fieldsOf(object)).toEqual(want);
  });

  it.each<{ to: Spec; why: string[] }>([
    {
      to: { ...dual, clusterIPs: [V4] },
      why: ["Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary cluster IP"],
    },
    {
      to: { ...dual, ipFamilies: ["IPv4"] },
      why: ["Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary IP family"],
    },
    {
      to: { ...dual, ipFamilyPolicy: "SingleStack", clusterIPs: [V4, "fd00:10:96::9"] },
      why: [
        "Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
      ],
    },
  ])("is refused: $why", ({ to, why }) => {
    const causes = allocateService(service(to), service(dual), context(DUAL));
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      why.map((text) => `spec.ipFamilyPolicy: ${text}`),
    );
  });
});
