import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { ensureLocalAddress, localAddress, localInterface } from "./local-address.ts";

it.each(["a", "lab-1", "0f3a9c", "instance-with-a-long-name"])(
  "%s has an address and an interface of its own",
  (name) => {
    const [, , third, fourth] = localAddress(name).split(".").map(Number);
    expect(localAddress(name)).toMatch(/^169\.254\./);
    expect(third! >= 32 && third! < 64 && fourth! > 0 && fourth! < 255).toBe(true);
    expect(localInterface(name).length).toBeLessThanOrEqual(15);
  },
);

const instance = `t${process.pid}`;

describe.skipIf(process.getuid?.() !== 0)("ensureLocalAddress (as root)", () => {
  afterEach(() => void spawnSync("ip", ["link", "delete", localInterface(instance)]));

  it("may be repeated, and mends what was taken away", async () => {
    for (let i = 0; i < 2; i++) await ensureLocalAddress(instance);
    spawnSync("ip", ["address", "flush", "dev", localInterface(instance)]);
    await ensureLocalAddress(instance);
    const on = (networkInterfaces()[localInterface(instance)] ?? []).filter(({ family }) => family === "IPv4");
    expect(on.map((each) => each.cidr)).toEqual([`${localAddress(instance)}/32`]);
  });
});
