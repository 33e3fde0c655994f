import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { parseCidr, printIp } from "../../shared/api/ip.ts";
import type { Clock } from "../clock/index.ts";
import { addressesOfMachine, claim, interfaceTowards, withdraw } from "./addresses.ts";
import type { Machine } from "./announcer.ts";
import { readGuard, writeGuard } from "./guard.ts";
import { isAnsweredByOther, tellNeighbours, withAdvertisement } from "./neighbours.ts";

/** This machine: `ip`, `nft` and what tells neighbours. */
export function thisMachine(instance: string, options: { clock: Clock; signal: AbortSignal }): Machine {
  return {
    readGuard: () => readGuard(instance),
    writeGuard: (addresses) => writeGuard(instance, addresses),
    addresses: addressesOfMachine,
    interfaceTowards,
    async claim(address, device, { isNew, isLeased, isChecked }) {
      const put = () => claim(address, device, { isLeased });
      await (isNew && !isChecked && isIPv6(address) ? withAdvertisement(device, options.clock, put) : put());
    },
    withdraw,
    isAnsweredByOther,
    async tellNeighbours(address, device) {
      if (isIPv6(address)) return; // the kernel did
      await tellNeighbours({ address, device, neighbour: nobodyOn(device) }, options);
    },
  };
}

/** The last address of an interface's IPv4 network but its broadcast one: whoever has it is asked for once, at worst. */
function nobodyOn(device: string): string | undefined {
  for (const { family, cidr } of networkInterfaces()[device] ?? []) {
    const range = family === "IPv4" && cidr ? parseCidr(cidr) : undefined;
    if (range && range.prefixLength < 31)
      return printIp({ family: 4, value: range.first + (1n << BigInt(32 - range.prefixLength)) - 2n });
  }
  return undefined;
}
