import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { ensureBridge, gatewayOf } from "./bridge.ts";
import { linkMtu, presentIn } from "./link.ts";

it.each([
  ["10.244.3.0/24", "10.244.3.1/24"],
  ["10.244.3.128/25", "10.244.3.129/25"],
  ["fd00::/64", "fd00::1/64"],
])("the gateway of %s is %s", (cidr, want) => expect(gatewayOf(cidr)).toBe(want));

it("what `ip` leaves out by printing it as nothing is not there", () =>
  expect(presentIn([{}, { ifname: "eth0" }, {}])).toEqual([{ ifname: "eth0" }]));

const name = `hb${process.pid}`;
const addresses = () =>
  (networkInterfaces()[name] ?? []).filter(({ family }) => family === "IPv4").map(({ cidr }) => cidr);

describe.skipIf(process.getuid?.() !== 0)("ensureBridge (as root)", () => {
  afterEach(() => void spawnSync("ip", ["link", "delete", name]));

  it("makes it once, mends it, and makes it again for another range", async () => {
    const podCidrs = ["198.18.201.0/24"];
    for (let i = 0; i < 2; i++) await ensureBridge({ name, podCidrs, mtu: 1500 });
    expect(addresses()).toEqual(["198.18.201.1/24"]);
    spawnSync("ip", ["address", "flush", "dev", name]);
    await ensureBridge({ name, podCidrs, mtu: 1450 });
    expect(addresses()).toEqual(["198.18.201.1/24"]);
    expect(await linkMtu(name)).toBe(1450);
    await ensureBridge({ name, podCidrs: ["198.18.202.0/24"], mtu: 1500 });
    expect(addresses()).toEqual(["198.18.202.1/24"]);
  });
});
