import { expect, it } from "vitest";
import { chooseAddress, defaultInterface } from "./machine-address.ts";

const ROUTES = `Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask
hearth-1\t0000F40A\t00000000\t0001\t0\t0\t0\t00FFFFFF
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000
`;
const v4 = (address: string, internal = false) => ({ address, family: "IPv4" as const, internal });

it("finds the default route's interface", () => {
  expect(defaultInterface(ROUTES)).toBe("eth0");
  expect(defaultInterface("Iface\tDestination\n")).toBeUndefined();
});

it.each([
  {
    name: "that of the default route",
    interfaces: { br0: [v4("10.244.0.1")], eth0: [v4("192.0.2.7")] },
    want: "192.0.2.7",
  },
  { name: "any other, without a default route's", interfaces: { eth1: [v4("192.0.2.8")] }, want: "192.0.2.8" },
  { name: "loopback, alone", interfaces: { lo: [v4("127.0.0.1", true)] }, want: "127.0.0.1" },
])("chooses the address: $name", ({ interfaces, want }) => expect(chooseAddress(interfaces, "eth0")).toBe(want));
