import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";

const chainsSchema = z.object({
  nftables: z.array(
    z.object({
      chain: z
        .object({
          family: z.string(),
          table: z.string(),
          name: z.string(),
          hook: z.string().optional(),
          policy: z.string().optional(),
        })
        .optional(),
    }),
  ),
});

/**
 * Another program's chains that drop what is forwarded unless a rule of theirs accepts it (Docker sets the policy so).
 * An accept of ours would not help: every chain of the hook has to let a packet through.
 * @param json the output of `nft -j list chains`
 * @returns e.g. `ip filter FORWARD`; empty also if the text is none of nft's
 */
export function parseForwardDrops(json: string): string[] {
  const parsed = chainsSchema.safeParse(jsonOrUndefined(json));
  return (parsed.data?.nftables ?? []).flatMap(({ chain }) =>
    chain?.hook === "forward" && chain.policy === "drop" && ["ip", "ip6", "inet"].includes(chain.family)
      ? [`${chain.family} ${chain.table} ${chain.name}`]
      : [],
  );
}
