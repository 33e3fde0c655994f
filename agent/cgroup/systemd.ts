/**
 * The one file that speaks to systemd about cgroups: slices are made, changed and ended through its D-Bus interface, with
 * busctl, which comes with systemd.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf } from "../../shared/message-of.ts";
import type { CgroupLimits } from "./limits.ts";
import { type CgroupName, sliceUnit } from "./name.ts";
import { type UnitProperty, unitProperties } from "./unit-properties.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;
const MANAGER = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"];

/** Makes a slice. One that is there is left as it is. */
export async function startSlice(name: CgroupName, limits: CgroupLimits): Promise<void> {
  const properties: UnitProperty[] = [
    ["Description", "s", `pods of Kubernetes: ${sliceUnit(name)}`],
    ["Wants", "as", "1", sliceUnit(name.slice(0, -1))],
    ["DefaultDependencies", "b", "false"],
    ["CPUAccounting", "b", "true"],
    ["MemoryAccounting", "b", "true"],
    ["TasksAccounting", "b", "true"],
    ...unitProperties(limits),
  ];
  await call("StartTransientUnit", "ssa(sv)a(sa(sv))", [sliceUnit(name), "replace", ...printed(properties), "0"]).catch(
    (error: unknown) => {
      if (!/already (exists|loaded)|was already loaded|has a fragment file/.test(messageOf(error))) throw error;
    },
  );
}

export async function setSlice(name: CgroupName, limits: CgroupLimits): Promise<void> {
  await call("SetUnitProperties", "sba(sv)", [sliceUnit(name), "true", ...printed(unitProperties(limits))]);
}

/** One that is not there is no error. */
export async function stopSlice(name: CgroupName): Promise<void> {
  await call("StopUnit", "ss", [sliceUnit(name), "replace"]).catch((error: unknown) => {
    if (!/not loaded/.test(messageOf(error))) throw error;
  });
}

const printed = (properties: UnitProperty[]): string[] => [String(properties.length), ...properties.flat()];

/** @throws Error with what systemd answers */
async function call(method: string, signature: string, args: string[]): Promise<void> {
  try {
    await run("busctl", ["--quiet", "--", "call", ...MANAGER, method, signature, ...args], { timeout: TIMEOUT_MS });
  } catch (cause) {
    const { stderr } = cause as { stderr?: string };
    throw new Error(`systemd: ${method} ${args[0]}: ${stderr?.trim() || messageOf(cause)}`, { cause });
  }
}
