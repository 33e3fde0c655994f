/** All that a node changes of a machine's network, to compare what there was before it with what is left after it. */
export interface MachineNetwork {
  rules: string;
  links: (string | undefined)[];
  addresses: string;
  routes: string;
  /** Kernel parameters, save those that change by themselves. */
  parameters: string;
}

/** @param execute runs a program where the machine is, and gives what it prints */
export async function readMachineNetwork(
  execute: (program: string, args: string[]) => Promise<string>,
): Promise<MachineNetwork> {
  const sh = (script: string) => execute("sh", ["-c", script]);
  return {
    rules: await sh("! command -v nft >/dev/null || nft list ruleset"), // the first node installs it
    links: (await execute("ip", ["-oneline", "link"])).split("\n").map((line) => line.split(" ")[1]),
    addresses: await execute("ip", ["-brief", "address"]),
    routes: await sh("ip -4 route; ip -6 route; ip rule"),
    parameters: await sh(
      "sysctl -a 2>/dev/null | grep -E '^net\\.(ipv4|ipv6|bridge|netfilter)\\.' | grep -Ev 'random|cookie|stable_secret|conntrack_count|error_cost'",
    ),
  };
}
