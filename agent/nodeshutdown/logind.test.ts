import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectLogind } from "./logind.ts";

let dir: string;
const before = { PATH: process.env["PATH"], BUS: process.env["DBUS_SYSTEM_BUS_ADDRESS"] };

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "logind-"));
});
afterAll(() => {
  process.env["PATH"] = before.PATH;
  if (before.BUS === undefined) delete process.env["DBUS_SYSTEM_BUS_ADDRESS"];
  else process.env["DBUS_SYSTEM_BUS_ADDRESS"] = before.BUS;
  rmSync(dir, { recursive: true });
});

/** A command of that name, before the machine's own. */
function command(name: string, script: string): void {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  process.env["PATH"] = `${dir}${delimiter}${before.PATH}`;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("connectLogind", () => {
  const logind = () => connectLogind(join(dir, "logind.conf.d"));

  it("reads the longest delay", async () => {
    command("busctl", `echo "$*" >> ${dir}/calls; echo '{"type":"t","data":5000000}'`);
    expect(await logind().maxDelayMs()).toBe(5_000);
    expect(readFileSync(join(dir, "calls"), "utf8").trim()).toBe(
      "--system --json=short get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager InhibitDelayMaxUSec",
    );
  });

  it("sets it in a file of its own, and has logind read that", async () => {
    command("busctl", `echo "$*" > ${dir}/calls`);
    await logind().overrideMaxDelay(30);
    expect(readFileSync(join(dir, "logind.conf.d", "99-kubelet.conf"), "utf8")).toMatch(
      /^\[Login\]\nInhibitDelayMaxSec=30$/m,
    );
    expect(readFileSync(join(dir, "calls"), "utf8")).toContain("KillUnit ssi systemd-logind.service all 1");
  });

  it("says what systemd answers", async () => {
    command("busctl", "echo 'Failed to connect to bus: No such file or directory' >&2; exit 1");
    await expect(logind().maxDelayMs()).rejects.toThrow("Failed to connect to bus: No such file or directory");
    command("systemd-inhibit", "echo 'Failed to inhibit: Access denied' >&2; exit 1");
    await expect(logind().inhibit()).rejects.toThrow(
      "failed creating systemd inhibitor: Failed to inhibit: Access denied",
    );
  });

  it("listens no longer than anybody does", async () => {
    const told = JSON.stringify({ member: "PrepareForShutdown", payload: { type: "b", data: [true] } });
    command("busctl", `echo $$ > ${dir}/monitor; echo '${told}'; exec sleep 600`);
    for await (const begins of logind().shutdowns(new AbortController().signal)) {
      expect(begins).toBe(true);
      break;
    }
    const pid = Number(readFileSync(join(dir, "monitor"), "utf8"));
    await vi.waitUntil(() => !isRunning(pid), { timeout: 30_000 });
  });

  it("holds a lock until it is released", async () => {
    command("systemd-inhibit", `echo "$*" > ${dir}/asked; shift 4; "$@"; touch ${dir}/released`);
    const lock = await logind().inhibit();
    expect(readFileSync(join(dir, "asked"), "utf8")).toContain(
      "--what=shutdown --who=kubelet --why=Kubelet needs time to handle node shutdown --mode=delay",
    );
    expect(existsSync(join(dir, "released"))).toBe(false);
    await lock.release();
    expect(existsSync(join(dir, "released"))).toBe(true);
  });
});

const hasBus = ["dbus-daemon", "dbus-send", "busctl"].every((name) => {
  try {
    execFileSync("which", [name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

describe.skipIf(!hasBus)("on a real bus (this machine needs dbus-daemon, dbus-send and busctl)", () => {
  let daemon: ChildProcess;

  beforeAll(async () => {
    process.env["PATH"] = before.PATH;
    const socket = join(dir, "bus");
    process.env["DBUS_SYSTEM_BUS_ADDRESS"] = `unix:path=${socket}`;
    const config = join(dir, "bus.conf");
    const rules = `<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>`;
    writeFileSync(
      config,
      `<busconfig><type>custom</type><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth><policy context="default">${rules}</policy></busconfig>`,
    );
    daemon = spawn("dbus-daemon", [`--config-file=${config}`, "--nofork"], { stdio: "ignore" });
    await vi.waitUntil(() => existsSync(socket), { timeout: 30_000 });
  });
  afterAll(() => {
    daemon.kill();
  });

  it("is told of shutdowns, and of nothing else", async () => {
    const stopping = new AbortController();
    const seen: boolean[] = [];
    const following = (async () => {
      for await (const begins of connectLogind().shutdowns(stopping.signal)) seen.push(begins);
    })();
    const send = (member: string, value: boolean) =>
      execFileSync("dbus-send", [
        ...["--system", "--type=signal", "/org/freedesktop/login1"],
        ...[`org.freedesktop.login1.Manager.${member}`, `boolean:${value}`],
      ]);
    // The monitor says nothing when it begins to listen.
    await vi.waitUntil(
      () => {
        send("PrepareForShutdown", true);
        return seen.length > 0;
      },
      { timeout: 30_000, interval: 200 },
    );
    const first = seen.length;
    send("PrepareForSleep", true);
    send("PrepareForShutdown", false);
    await vi.waitUntil(() => seen.at(-1) === false, { timeout: 30_000 });
    expect(seen.slice(0, first).every((begins) => begins)).toBe(true);
    stopping.abort();
    await following;
  }, 90_000);
});
