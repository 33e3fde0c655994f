import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CniNetwork, renderCniConfig } from "./config.ts";
import { removeCniConfig, writeCniConfig } from "./config-file.ts";

const NETWORK: CniNetwork = {
  podCidrs: ["10.244.1.0/24"],
  bridgeName: "hearth0",
  mtu: 1450,
  instance: "a",
  dataDir: "/var/lib/hearth/leases",
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "cni-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("renderCniConfig", () => {
  it("is a bridge with addresses of the node's range, and host ports", () => {
    const config = JSON.parse(renderCniConfig(NETWORK));
    expect(config).toMatchObject({
      cniVersion: "1.0.0",
      name: "hearth-a",
      plugins: [
        {
          type: "bridge",
          bridge: "hearth0",
          isGateway: true,
          ipMasq: false,
          hairpinMode: true,
          mtu: 1450,
          ipam: { type: "host-local", ranges: [[{ subnet: "10.244.1.0/24" }]], routes: [{ dst: "0.0.0.0/0" }] },
        },
        { type: "portmap", capabilities: { portMappings: true } },
      ],
    });
  });

  it("has a range and a route for each family", () => {
    const { ipam } = JSON.parse(renderCniConfig({ ...NETWORK, podCidrs: ["10.244.1.0/24", "fd00:1::/64"] })).plugins[0];
    expect(ipam.ranges).toHaveLength(2);
    expect(ipam.routes).toEqual([{ dst: "0.0.0.0/0" }, { dst: "::/0" }]);
  });

  it.each([
    { name: "a bridge name that Linux would cut", network: { ...NETWORK, bridgeName: "a-very-long-name" } },
    { name: "no range", network: { ...NETWORK, podCidrs: [] } },
  ])("refuses $name", ({ network }) => expect(() => renderCniConfig(network)).toThrow(RangeError));
});

describe("writeCniConfig", () => {
  it("writes once, and again when something changed", async () => {
    expect(await writeCniConfig(dir, NETWORK)).toEqual({ kind: "written" });
    expect(await writeCniConfig(dir, NETWORK)).toEqual({ kind: "unchanged" });
    expect(await writeCniConfig(dir, { ...NETWORK, mtu: 1400 })).toEqual({ kind: "written" });
    expect(readFileSync(join(dir, "90-hearth.conflist"), "utf8")).toContain('"mtu": 1400');
    await removeCniConfig(dir);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("says when the user's own network comes first, and leaves it alone", async () => {
    writeFileSync(join(dir, "10-mine.conf"), "{}");
    expect(await writeCniConfig(dir, NETWORK)).toEqual({ kind: "overridden", file: "10-mine.conf" });
    expect(await writeCniConfig(dir, NETWORK)).toEqual({ kind: "overridden", file: "10-mine.conf" });
    expect(readFileSync(join(dir, "10-mine.conf"), "utf8")).toBe("{}");
  });
});
