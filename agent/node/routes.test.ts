import { expect, it } from "vitest";
import { parseRoutes, parseRoutes6 } from "./routes.ts";

const TABLE = [
  "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
  "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
  "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
  "hearth-other\t0000F40A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
  "hearth-mine\t0005F40A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
  "wg0\t0000080A\t00000000\t0000\t0\t0\t0\t0000FFFF\t0\t0\t0",
  "",
].join("\n");

it("lists what the machine reaches, without the default route, its own pods and what is down", () => {
  expect(parseRoutes(TABLE, "hearth-mine")).toEqual(["192.0.2.0/24", "10.244.0.0/24"]);
});

it("is bounded", () => {
  const line = (i: number) => `eth0\t00${i.toString(16).padStart(2, "0")}000A\t0\t0001\t0\t0\t0\t00FFFFFF`;
  expect(parseRoutes(["head", ...Array.from({ length: 200 }, (_, i) => line(i))].join("\n"), "x")).toHaveLength(32);
});

const line6 = (to: string, prefix: string, flags: string, name: string) =>
  `${to.padEnd(32, "0")} ${prefix} ${"0".repeat(32)} 00 ${"0".repeat(32)} 00000100 00000001 00000000 ${flags}     ${name}`;

it("lists the networks of IPv6, without what every interface has", () => {
  const table = [
    line6("", "00", "00000003", "eth0"),
    line6("20010db800010000", "40", "00000001", "eth0"),
    line6("20010db80001000000000000000000aa", "80", "80200001", "eth0"),
    line6("fe80", "40", "00000001", "eth0"),
    line6("ff", "08", "00000001", "eth0"),
    line6("fd00001002440000", "40", "00000001", "hearth-other"),
    line6("fd00001002440005", "40", "00000001", "hearth-mine"),
    line6("fd00001002440006", "40", "00000000", "wg0"),
    line6("", "00", "00200200", "lo"),
    line6("fd000007", "30", "00000201", "eth0"),
    "",
  ].join("\n");
  expect(parseRoutes6(table, "hearth-mine")).toEqual(["2001:db8:1::/64", "fd00:10:244::/64"]);
  expect(parseRoutes6("no table", "x")).toEqual([]);
});
