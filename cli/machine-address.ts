import { readFileSync } from "node:fs";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** The interface of the default route in the text of /proc/net/route; undefined without one. */
export function defaultInterface(routes: string): string | undefined {
  const UP_AND_GATEWAY = 0x3;
  for (const line of routes.split("\n").slice(1)) {
    const [name, destination, , flags] = line.split("\t");
    if (destination === "00000000" && (Number.parseInt(flags ?? "0", 16) & UP_AND_GATEWAY) === UP_AND_GATEWAY)
      return name;
  }
  return undefined;
}

/**
 * The address by which other machines reach this one: an IPv4 address of the default route's interface, else any that is
 * not loopback, else loopback.
 */
export function chooseAddress(
  interfaces: Record<string, Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[] | undefined>,
  preferred: string | undefined,
): string {
  const addressOf = (name: string | undefined) =>
    (name === undefined ? [] : (interfaces[name] ?? [])).find(({ family, internal }) => family === "IPv4" && !internal)
      ?.address;
  return addressOf(preferred) ?? Object.keys(interfaces).map(addressOf).find(Boolean) ?? "127.0.0.1";
}

export function machineAddress(): string {
  return chooseAddress(networkInterfaces(), defaultInterface(readFileSync("/proc/net/route", "utf8")));
}
