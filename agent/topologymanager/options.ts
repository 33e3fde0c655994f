export interface TopologyOptions {
  prefersClosest: boolean;
  maxNodes: number;
}

/** Upstream's: with more of them the ways to combine their hints get too many. */
const DEFAULT_MAX_NODES = 8;

/** @param options topologyManagerPolicyOptions of a KubeletConfiguration @throws Error in upstream's words */
export function parseTopologyOptions(options: Readonly<Record<string, string>>): TopologyOptions {
  const parsed: TopologyOptions = { prefersClosest: false, maxNodes: DEFAULT_MAX_NODES };
  for (const [name, text] of Object.entries(options)) {
    if (name === "prefer-closest-numa-nodes") parsed.prefersClosest = parseBool(name, text);
    else if (name === "max-allowable-numa-nodes") parsed.maxNodes = parseMaxNodes(name, text);
    else throw new Error(`unknown Topology Manager Policy option: "${name}"`);
  }
  return parsed;
}

function parseMaxNodes(name: string, text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new Error(
      `unable to convert policy option to integer "${name}": strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const count = Number(text);
  if (count >= DEFAULT_MAX_NODES) return count;
  throw new Error(`the minimum value of "${name}" should not be less than ${DEFAULT_MAX_NODES}`);
}

const TRUE = ["1", "t", "T", "true", "TRUE", "True"];
const FALSE = ["0", "f", "F", "false", "FALSE", "False"];

/** As Go's strconv.ParseBool. @throws Error in upstream's words for options of policies */
export function parseBool(name: string, text: string): boolean {
  if (TRUE.includes(text)) return true;
  if (FALSE.includes(text)) return false;
  throw new Error(`bad value for option "${name}": strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}
