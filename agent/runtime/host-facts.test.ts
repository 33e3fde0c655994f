import { expect, it } from "vitest";
import { findProgram, mayRaisePriority, runtimePath, usefulPackages } from "./host-facts.ts";

it.each([
  { name: "all capabilities", status: "Name:\tnode\nCapEff:\t000001ffffffffff\n", want: true },
  { name: "all but CAP_SYS_RESOURCE", status: "CapEff:\t000001fffeffffff\n", want: false },
  { name: "none", status: "CapEff:\t0000000000000000\n", want: false },
])("sees whether priorities may be raised: $name", ({ status, want }) => expect(mayRaisePriority(status)).toBe(want));

it.each([
  { name: "a module", modules: "kernel/drivers/net/wireguard/wireguard.ko.xz: kernel/net/x.ko.xz", has: true },
  { name: "built in", modules: "kernel/drivers/net/wireguard/wireguard.ko\n", has: true },
  { name: "another kernel", modules: "kernel/drivers/net/vxlan/vxlan.ko.xz:", has: false },
  { name: "no list", modules: "", has: false },
])("WireGuard's programs are of use where the kernel has it: $name", ({ modules, has }) => {
  const hasProgram = findProgram("wg") !== undefined;
  expect(usefulPackages(modules)).toEqual(has && !hasProgram ? ["wireguard-tools"] : []);
});

it("adds the sbin directories to a short PATH, once", () => {
  expect(runtimePath("/opt/bin:/usr/sbin")).toBe(
    "/opt/bin:/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin:/sbin:/bin",
  );
});
