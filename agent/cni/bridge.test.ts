import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { ensureBridge, gatewayOf } from "./bridge.ts";

it.each([
  ["10.244.3.0/24", "10.244.3.1/24"],
  ["10.244.3.128/25", "10.244.3.129/25"],
  ["fd00::/64", undefined],
])("the gateway of %s is %s", (cidr, want) => expect(gatewayOf(cidr)).toBe(want));

const name = `hb${process.pid}`;
const addresses = () =>
  (networkInterfaces()[name] ?? []).filter(({ family }) => family === "IPv4").map(({ cidr }) => cidr);

describe.skipIf(process.getuid?.() !== 0)("ensureBridge (as root)", () => {
  afterEach(() => void spawnSync("ip", ["link", "delete", name]));

  it("makes it once, and again for another range", async () => {
    for (const podCidr of ["198.18.201.0/24", "198.18.201.0/24"]) await ensureBridge({ name, podCidr, mtu: 1500 });
    expect(addresses()).toEqual(["198.18.201.1/24"]);
    await ensureBridge({ name, podCidr: "198.18.202.0/24", mtu: 1500 });
    expect(addresses()).toEqual(["198.18.202.1/24"]);
  });
});
