import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";

const FIRST_OCTETS = "10.199";

/**
 * A /24 that no link of this machine has, so that tests which run at once, or a run that was killed and left its bridge,
 * do not take one another's packets.
 * @throws Error if all are in use
 */
export function freeSubnet(): string {
  const links = execFileSync("ip", ["-4", "-oneline", "address"], { encoding: "utf8" });
  const free = Array.from({ length: 256 }, (_, third) => `${FIRST_OCTETS}.${third}`).filter(
    (prefix) => !links.includes(` ${prefix}.`),
  );
  if (free.length === 0)
    throw new Error(`every /24 of ${FIRST_OCTETS}.0.0/16 is in use: remove the bridges of old runs`);
  return `${free[randomInt(free.length)]}.0/24`;
}
