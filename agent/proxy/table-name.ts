import { ownerChain } from "./base.ts";
import { list } from "./nft.ts";

const NAME = "kube-proxy";

/**
 * The table's name is kube-proxy's, by which people and programs know it, unless somebody else has it on this machine:
 * another agent, or kube-proxy itself.
 * @returns the name of the tables `ip` and `ip6`
 */
export async function chooseTable(instance: string): Promise<string> {
  const tables = await list("list", "tables");
  if (!/^table ip6? kube-proxy$/m.test(tables)) return NAME;
  return (await tablesOf(instance)).some(([, name]) => name === NAME) ? NAME : `${NAME}-${instance}`;
}

/** The tables of an agent's service proxy, for their removal. */
export async function tablesOf(instance: string): Promise<[family: string, name: string][]> {
  const text = await list("list", "chains");
  const found: [string, string][] = [];
  let current: [string, string] | undefined;
  for (const line of text.split("\n")) {
    const [, family, name] = /^table (\S+) (\S+) \{$/.exec(line) ?? [];
    if (family && name) current = [family, name];
    if (current && line === `\tchain ${ownerChain(instance)} {`) found.push(current);
  }
  return found;
}
