import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { type IpRange, parseCidr, parseIp, printCidr, printIp } from "../../shared/api/ip.ts";
import { ipJson, presentIn } from "../cni/index.ts";
import { runProgram } from "../programs/index.ts";
import type { Link } from "./peer.ts";
import type { Actual, ActualOverlay, Commands, Route } from "./plan.ts";

/**
 * Lets packets in on devices of ours although the way back may be another: two nodes do not find out at one moment that a
 * way fails, or works again. The parameter goes with the device.
 */
export async function loosenReversePath(devices: readonly string[]): Promise<void> {
  for (const name of devices) {
    await writeFile(`/proc/sys/net/ipv4/conf/${name}/rp_filter`, "2").catch(() => {
      // It has gone again, or the parameters cannot be written here: then packets come when both nodes know.
    });
  }
}

/** Takes the steps in their order. @throws Error with what failed; the others were taken */
export async function carryOut({ devices, forwarding, routes }: Commands): Promise<void> {
  const failures: string[] = [];
  const batch = async (program: string, lines: string[]) => {
    if (lines.length === 0) return;
    await runProgram(program, ["-force", "-batch", "-"], { input: `${lines.join("\n")}\n` }).catch((error: Error) => {
      failures.push(error.message);
    });
  };
  await batch("ip", devices);
  await batch("bridge", forwarding);
  await batch("ip", routes);
  if (failures.length > 0) throw new Error(failures.join("; "));
}

const addressesSchema = z.array(
  z.object({
    ifname: z.string(),
    mtu: z.number().default(1500),
    link_type: z.string().default(""),
    flags: z.array(z.string()).default([]),
    addr_info: z
      .array(z.object({ local: z.string().optional(), prefixlen: z.number().optional(), scope: z.string().optional() }))
      .default([]),
  }),
);

/** The machine's interfaces that are up, loopback and those of `skip` left out. */
export async function readLinks(skip: (name: string) => boolean): Promise<Link[]> {
  const found = addressesSchema.parse(await ipJson("address", "show", "up"));
  return found
    .filter(({ ifname, flags }) => !flags.includes("LOOPBACK") && !skip(ifname))
    .map(({ ifname, mtu, link_type, addr_info }) => ({
      name: ifname,
      mtu,
      isEthernet: link_type === "ether",
      addresses: addr_info
        .filter(({ scope }) => scope === "global")
        .map(({ local, prefixlen }) => parseCidr(`${local}/${prefixlen}`))
        .filter((range): range is IpRange => range !== undefined),
    }));
}

const routesSchema = z.array(z.object({ dst: z.string(), gateway: z.string().optional(), dev: z.string().optional() }));
const devicesSchema = z.array(
  z.object({
    address: z.string().default(""),
    mtu: z.number(),
    flags: z.array(z.string()).default([]),
    linkinfo: z.object({
      info_data: z
        .object({
          id: z.number(),
          local: z.string().optional(),
          local6: z.string().optional(),
          port: z.number().optional(),
          port_range: z.object({ low: z.number(), high: z.number() }).optional(),
        })
        .optional(),
    }),
  }),
);
const forwardingSchema = z.array(
  z.object({ mac: z.string(), dst: z.string().optional(), port: z.number().optional() }),
);
const neighboursSchema = z.array(z.object({ dst: z.string(), lladdr: z.string().optional() }));

/** What the kernel has of ours. @param options.overlays names of devices that may be there */
export async function readActual({
  overlays,
  protocol,
}: {
  overlays: readonly string[];
  protocol: number;
}): Promise<Actual> {
  const routes = (await Promise.all(["-4", "-6"].map((family) => readRoutes(family, protocol)))).flat();
  const found = await Promise.all(overlays.map(async (name) => [name, await readOverlay(name)] as const));
  return { routes, overlays: Object.fromEntries(found.flatMap(([name, device]) => (device ? [[name, device]] : []))) };
}

async function readOverlay(name: string): Promise<ActualOverlay | undefined> {
  const device = (await query(devicesSchema, "ip", ["-details", "link", "show", "dev", name]))?.[0];
  if (!device) return undefined;
  const { id = 0, local, local6, port = 0, port_range } = device.linkinfo.info_data ?? {};
  const [addresses, forwarding, neighbours] = await Promise.all([
    query(addressesSchema, "ip", ["address", "show", "dev", name]),
    query(forwardingSchema, "bridge", ["fdb", "show", "dev", name]),
    query(neighboursSchema, "ip", ["neighbour", "show", "dev", name, "nud", "permanent"]),
  ]);
  return {
    ...{ mac: device.address, id, local: local ?? local6 ?? "", port, mtu: device.mtu },
    ...(port_range && port_range.low > 0 && { sourcePort: port_range.low }),
    isUp: device.flags.includes("UP"),
    addresses: addresses?.[0] ? globalAddresses(addresses[0]) : [],
    forwarding: (forwarding ?? []).flatMap(({ mac, dst, port }) =>
      dst === undefined ? [] : [{ mac, to: dst, ...(port !== undefined && { port }) }],
    ),
    neighbours: (neighbours ?? []).map(({ dst, lladdr = "" }) => ({ mac: lladdr, address: dst })),
  };
}

async function readRoutes(family: string, protocol: number): Promise<Route[]> {
  const found = await query(routesSchema, "ip", [family, "route", "show", "proto", String(protocol)]);
  return (found ?? []).flatMap(({ dst, gateway, dev }) => {
    const range = parseCidr(dst.includes("/") ? dst : `${dst}/${dst.includes(":") ? 128 : 32}`);
    const via = parseIp(gateway ?? "");
    return range ? [{ to: printCidr(range), ...(via && { via: printIp(via) }), ...(dev && { dev }) }] : [];
  });
}

export interface ActualLink {
  mtu: number;
  isUp: boolean;
  /** With their prefixes; of global scope. */
  addresses: string[];
}

/** @returns undefined if there is no such device */
export async function readLink(name: string): Promise<ActualLink | undefined> {
  const link = (await query(addressesSchema, "ip", ["address", "show", "dev", name]))?.[0];
  return link && { mtu: link.mtu, isUp: link.flags.includes("UP"), addresses: globalAddresses(link) };
}

const globalAddresses = ({ addr_info }: z.infer<typeof addressesSchema>[number]): string[] =>
  addr_info.filter(({ scope }) => scope === "global").map(({ local, prefixlen }) => `${local}/${prefixlen}`);

/** @returns undefined if the program fails: there is no such device */
async function query<T>(schema: z.ZodType<T>, program: string, args: string[]): Promise<T | undefined> {
  const text = await runProgram(program, ["-json", ...args]).catch(() => undefined);
  return text === undefined ? undefined : schema.parse(presentIn(JSON.parse(text || "[]") as object[]));
}
