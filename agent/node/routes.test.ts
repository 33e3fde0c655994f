import { expect, it } from "vitest";
import { parseRoutes } from "./routes.ts";

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
