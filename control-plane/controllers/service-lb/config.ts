import { parse } from "yaml";
import { z } from "zod";
import type { ConfigMap } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { checkDepth } from "../../../shared/yaml-depth.ts";
import { type AddressPool, parseAddressRange } from "./address-pool.ts";

/** `kube-system/hearth-load-balancer`; without it all is as by default. */
export const CONFIG_MAP = "hearth-load-balancer";
export const isBalancerConfig = ({ metadata }: ConfigMap): boolean =>
  metadata.name === CONFIG_MAP && metadata.namespace === "kube-system";

export interface BalancerConfig {
  /** Whether Services without a class of load balancers are ours. */
  enabled: boolean;
  /** Whether Services get the nodes' addresses for which there is no pool. */
  nodeAddresses: boolean;
  /** In the order in which they are used. */
  pools: AddressPool[];
}

export const DEFAULT_CONFIG: BalancerConfig = { enabled: true, nodeAddresses: true, pools: [] };

const MAX_POOLS = 100;
const MAX_RANGES = 1000;
/** A small text must not grow into a large object. */
const MAX_ALIASES = 100;

const range = z.string().transform((text, context) => {
  const parsed = parseAddressRange(text);
  if (parsed) return parsed;
  context.addIssue({ code: "custom", message: `no range of addresses: ${text}` });
  return z.NEVER;
});

const pools = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, "a pool's name is a DNS label"),
      addresses: z.array(range).min(1).max(MAX_RANGES),
      autoAssign: z.boolean().default(true),
    }),
  )
  .max(MAX_POOLS)
  .transform((list): AddressPool[] =>
    list.map(({ name, addresses, autoAssign }) => ({ name, ranges: addresses, autoAssign })),
  )
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, "two pools have one name")
  .refine(areApart, "pools overlap");

const flag = z
  .enum(["true", "false"])
  .default("true")
  .transform((text) => text === "true");
const configuration = z.strictObject({ enabled: flag, nodeAddresses: flag, pools: z.string().default("") });

/** An address must be of one pool, so that it is clear whose it is. */
function areApart(list: AddressPool[]): boolean {
  const all = list.flatMap(({ ranges }) => ranges).sort((a, b) => a.family - b.family || (a.first < b.first ? -1 : 1));
  return all.every(({ family, first }, i) => {
    const before = all[i - 1];
    return before === undefined || before.family !== family || before.last < first;
  });
}

/**
 * Reads the data of the ConfigMap.
 * @throws Error that says what is wrong: nothing of it is taken then
 */
export function parseBalancerConfig(data: Record<string, string> | undefined): BalancerConfig {
  const read = configuration.safeParse(data ?? {});
  if (!read.success) throw new Error(z.prettifyError(read.error));
  const list = pools.safeParse(parseList(read.data.pools) ?? []);
  if (!list.success) throw new Error(`pools: ${z.prettifyError(list.error)}`);
  return { ...read.data, pools: list.data };
}

function parseList(text: string): unknown {
  try {
    checkDepth(text);
    return parse(text, { maxAliasCount: MAX_ALIASES, logLevel: "error" });
  } catch (cause) {
    throw new Error(`pools: ${messageOf(cause)}`, { cause });
  }
}
