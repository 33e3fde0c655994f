/** The one file of this area that speaks to systemd: with busctl and systemd-inhibit, which come with it. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";
import { messageOf } from "../../shared/message-of.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;
const LOGIND = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"];
const SYSTEMD = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"];
const SIGHUP = "1";
/** The kubelet's own file: one setting of a machine is not set in two places. */
const OVERRIDE_FILE = "99-kubelet.conf";
const CONFIG_DIRECTORY = "/etc/systemd/logind.conf.d";
const MATCH = `type='signal',interface='${LOGIND[2]}',member='PrepareForShutdown',path='${LOGIND[1]}'`;
/** Told by whoever holds the lock, when it has it. */
const HELD = "held";

const propertySchema = z.object({ data: z.number() });
const signalSchema = z.object({
  member: z.literal("PrepareForShutdown"),
  payload: z.object({ data: z.tuple([z.boolean()]) }),
});

export interface Logind {
  /** How long it lets a shutdown be held up, in milliseconds. */
  maxDelayMs(): Promise<number>;
  /** Has it wait for so long; it takes that over a moment later. */
  overrideMaxDelay(seconds: number): Promise<void>;
  /** Holds up a shutdown, until the lock is released or this process has ended. */
  inhibit(): Promise<{ release(): Promise<void> }>;
  /** Whether a shutdown begins (true) or was called off, each time; ends with the connection or the signal. */
  shutdowns(signal: AbortSignal): AsyncIterable<boolean>;
}

/** @param configDirectory where logind looks for settings @throws Error (each method) with what systemd answers */
export function connectLogind(configDirectory = CONFIG_DIRECTORY): Logind {
  return {
    async maxDelayMs() {
      const text = await busctl("--json=short", "get-property", ...LOGIND, "InhibitDelayMaxUSec");
      return propertySchema.parse(JSON.parse(text)).data / 1000;
    },
    async overrideMaxDelay(seconds) {
      await mkdir(configDirectory, { recursive: true, mode: 0o755 });
      const text = `# Written by the node agent: pods need so long to end.\n[Login]\nInhibitDelayMaxSec=${seconds}\n`;
      await writeFile(join(configDirectory, OVERRIDE_FILE), text, { mode: 0o644 });
      await busctl("call", ...SYSTEMD, "KillUnit", "ssi", "systemd-logind.service", "all", SIGHUP);
    },
    async inhibit() {
      const why = [
        "--what=shutdown",
        "--who=kubelet",
        "--why=Kubelet needs time to handle node shutdown",
        "--mode=delay",
      ];
      // It lives as long as its input is open, so that our own end releases the lock, whatever ends us.
      const holder = spawn("systemd-inhibit", [...why, "sh", "-c", `echo ${HELD}; exec cat >/dev/null`], {
        stdio: ["pipe", "pipe", "pipe"],
      });
      await untilHeld(holder);
      return {
        async release() {
          const ended = once(holder, "close");
          holder.stdin!.destroy();
          if (holder.exitCode === null && holder.signalCode === null) await ended;
        },
      };
    },
    async *shutdowns(signal) {
      const monitor = spawn("busctl", ["--system", "--json=short", `--match=${MATCH}`, "monitor"], {
        stdio: ["ignore", "pipe", "ignore"],
        signal,
      });
      monitor.on("error", () => {}); // it ends then, which is told by the end of its output
      try {
        for await (const line of createInterface({ input: monitor.stdout })) {
          const parsed = signalSchema.safeParse(jsonOrUndefined(line));
          if (parsed.success) yield parsed.data.payload.data[0];
        }
      } finally {
        monitor.kill(); // whoever listened may have left
      }
    },
  };
}

async function untilHeld(holder: ChildProcess): Promise<void> {
  let said = "";
  holder.stderr!.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-1000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  holder.once("error", reject);
  holder.once("close", () => reject(new Error(said.trim() || "it has ended")));
  holder.stdout!.once("data", resolve);
  try {
    await promise;
  } catch (cause) {
    throw new Error(`failed creating systemd inhibitor: ${messageOf(cause)}`, { cause });
  }
}

async function busctl(...args: string[]): Promise<string> {
  try {
    return (await run("busctl", ["--system", ...args], { timeout: TIMEOUT_MS })).stdout;
  } catch (cause) {
    const { stderr } = cause as { stderr?: string };
    throw new Error(`busctl ${args.join(" ")}: ${stderr?.trim() || messageOf(cause)}`, { cause });
  }
}
