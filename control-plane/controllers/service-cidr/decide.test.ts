import { describe, expect, it } from "vitest";
import { ipAddressFor } from "../../../shared/api/service-cidr.ts";
import type { IPAddress, ServiceCIDR } from "../../../shared/api/types.ts";
import { decide, FINALIZER, type Plan, type Ready } from "./decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:10Z");
const AT = "2026-10-21T08:00:00Z";

const named = (name: string, cidrs: string[], rest: Partial<ServiceCIDR["metadata"]> = {}, ready?: Ready) =>
  ({
    metadata: { name, ...rest },
    spec: { cidrs },
    status: ready ? { conditions: [{ type: "Ready", ...ready, lastTransitionTime: AT as never }] } : {},
  }) as ServiceCIDR;
const ready: Ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
const held: Ready = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};
const deleted = { deletionTimestamp: AT, finalizers: [FINALIZER] };
const address = (ip: string): IPAddress =>
  ipAddressFor(ip, { metadata: { name: "s", namespace: "default" }, spec: {} });
const gateway: IPAddress = {
  metadata: { name: "203.0.113.7" },
  spec: { parentRef: { resource: "gateways", name: "g" } },
};

describe("decide", () => {
  it.each<{
    name: string;
    cidr: ServiceCIDR;
    others?: ServiceCIDR[];
    addresses?: IPAddress[];
    nowMs?: number;
    want: Plan;
  }>([
    {
      name: "protects a new one, and calls it ready",
      cidr: named("a", ["203.0.113.0/24"]),
      want: { finalizer: "add", ready },
    },
    {
      name: "leaves one that is",
      cidr: named("a", ["203.0.113.0/24"], { finalizers: [FINALIZER] }, ready),
      want: { finalizer: "keep" },
    },
    {
      name: "words the condition of the default one anew",
      cidr: named(
        "a",
        ["203.0.113.0/24"],
        { finalizers: [FINALIZER] },
        { ...ready, message: "Kubernetes default Service CIDR is ready" },
      ),
      want: { finalizer: "keep", ready },
    },
    {
      name: "lets one go that nobody uses",
      cidr: named("a", ["203.0.113.0/24"], deleted),
      want: { finalizer: "release" },
    },
    {
      name: "but not before everybody knows of its deletion",
      cidr: named("a", ["203.0.113.0/24"], deleted),
      nowMs: NOW_MS - 4_000,
      want: { finalizer: "keep", recheckAfterMs: 4_000 },
    },
    {
      name: "keeps one that a Service has an address of",
      cidr: named("a", ["203.0.113.0/24"], deleted, ready),
      addresses: [address("203.0.113.7")],
      want: { finalizer: "keep", ready: held },
    },
    {
      name: "says so once",
      cidr: named("a", ["203.0.113.0/24"], deleted, held),
      addresses: [address("203.0.113.7")],
      want: { finalizer: "keep" },
    },
    {
      name: "does not mind addresses of other makers, other ranges, or that no Service can have",
      cidr: named("a", ["203.0.113.0/24"], deleted),
      addresses: [gateway, address("192.0.2.7"), address("203.0.113.0"), address("203.0.113.255")],
      want: { finalizer: "release" },
    },
    {
      name: "lets it go when another one has the address",
      cidr: named("a", ["203.0.113.0/24"], deleted),
      others: [named("b", ["203.0.113.0/28"])],
      addresses: [address("203.0.113.7")],
      want: { finalizer: "release" },
    },
    {
      name: "lets it go when it lies within another one",
      cidr: named("a", ["203.0.113.0/28", "fd00::/120"], deleted),
      others: [named("b", ["203.0.113.0/24"]), named("c", ["fd00::/112"])],
      addresses: [address("203.0.113.7")],
      want: { finalizer: "release" },
    },
    {
      name: "keeps it when only one family does",
      cidr: named("a", ["203.0.113.0/28", "fd00::/120"], deleted, held),
      others: [named("b", ["203.0.113.0/24"])],
      addresses: [address("fd00::7")],
      want: { finalizer: "keep" },
    },
    {
      name: "leaves other finalizers to others",
      cidr: named("a", ["203.0.113.0/24"], { deletionTimestamp: AT, finalizers: ["example.com/x"] }),
      want: { finalizer: "keep" },
    },
  ])("$name", ({ cidr, others = [], addresses = [], nowMs = NOW_MS, want }) =>
    expect(decide(cidr, [cidr, ...others], () => addresses, nowMs)).toEqual(want),
  );
});
