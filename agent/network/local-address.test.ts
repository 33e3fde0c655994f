import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { ensureLocalAddress, localAddress, localInterface } from "./local-address.ts";

it.each(["a", "lab-1", "0f3a9c", "instance-with-a-long-name"])(
  "%s has an address and an interface of its own",
  (name) => {
    const [, , third, fourth] = localAddress(name, 4).split(".").map(Number);
    expect(localAddress(name, 4)).toMatch(/^169\.254\./);
    expect(localAddress(name, 6)).toMatch(/^fd[0-9a-f]{2}:[0-9a-f]{1,4}:[0-9a-f]{1,4}::1$/);
    expect(third! >= 32 && third! < 64 && fourth! > 0 && fourth! < 255).toBe(true);
    expect(localInterface(name).length).toBeLessThanOrEqual(15);
  },
);

const instance = `t${process.pid}`;

describe.skipIf(process.getuid?.() !== 0)("ensureLocalAddress (as root)", () => {
  afterEach(() => void spawnSync("ip", ["link", "delete", localInterface(instance)]));

  it.each([4, 6] as const)("may be repeated, and mends what was taken away: IPv%i", async (family) => {
    for (let i = 0; i < 2; i++) await ensureLocalAddress(instance, family);
    spawnSync("ip", ["address", "flush", "dev", localInterface(instance)]);
    await ensureLocalAddress(instance, family);
    const on = (networkInterfaces()[localInterface(instance)] ?? []).filter(
      (each) => each.family === `IPv${family}` && !each.address.startsWith("fe80:"),
    );
    expect(on.map((each) => each.cidr)).toEqual([`${localAddress(instance, family)}/${family === 4 ? 32 : 128}`]);
  });
});
