import { execFile } from "node:child_process";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Runs `ip` with the given words. @throws Error with what it says */
export const ip = async (...args: string[]): Promise<string> => (await exec("ip", args)).stdout;

/** Whether there is an interface of that name. Asks netlink: /sys may be that of another network namespace. */
export async function linkExists(name: string): Promise<boolean> {
  return (await links("show", "dev", name)).length > 0;
}

/** In bytes; undefined if there is no such interface. */
export async function linkMtu(name: string): Promise<number | undefined> {
  return (await links("show", "dev", name))[0]?.mtu;
}

/** The names of the interfaces that hang on a bridge. */
export async function bridgePorts(bridge: string): Promise<string[]> {
  return (await links("show", "master", bridge)).map(({ ifname }) => ifname);
}

/** @returns none if `ip` fails: there is no such interface */
async function links(...args: string[]): Promise<{ ifname: string; mtu: number }[]> {
  try {
    return (await ipJson("link", ...args)) as { ifname: string; mtu: number }[];
  } catch {
    return [];
  }
}

/**
 * What `ip` lists, as objects. An object that a filter leaves out is printed as an empty one; such are left out here.
 * @throws Error with what it says
 */
export async function ipJson(...args: string[]): Promise<object[]> {
  return presentIn(JSON.parse((await ip("-json", ...args)) || "[]") as object[]);
}

/** Without the empty ones. */
export const presentIn = (listed: readonly object[]): object[] => listed.filter((each) => Object.keys(each).length > 0);
