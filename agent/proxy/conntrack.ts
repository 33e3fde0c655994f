import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../log/index.ts";

const run = promisify(execFile);

const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** Each is a process, for all flows from one address to one answerer; what is left over goes with the entries' own time. */
const MAX_DELETIONS = 500;

/** Where datagrams to a Service's address may be going at present. */
export interface UdpTarget {
  family: "ip" | "ip6";
  /** `<address> <port>` as the client writes them; of node ports the address is any of the node's: `* <port>`. */
  to: string;
  /** `<address> <port>` of the endpoints. */
  endpoints: ReadonlySet<string>;
}

export interface Flow {
  destination: string;
  port: string;
  /** Who answers, as far as the kernel knows. */
  answerer: string;
}

const TUPLES = /src=\S+ dst=(\S+) sport=\d+ dport=(\d+) .*?src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;

/** Reads a line of `conntrack -L -p udp`. Undefined for what is none. */
export function parseFlow(line: string): Flow | undefined {
  const [, destination, port, from, fromPort] = TUPLES.exec(line) ?? [];
  if (!destination || !port) return undefined;
  return { destination, port, answerer: `${from} ${fromPort}` };
}

/** The flows to Services that the kernel still sends where no endpoint is, or where none was before there was one. */
export function staleFlows(flows: readonly Flow[], targets: readonly UdpTarget[]): Flow[] {
  const byTarget = new Map(targets.map(({ to, endpoints }) => [to, endpoints]));
  return flows.filter(({ destination, port, answerer }) => {
    const endpoints = byTarget.get(`${destination} ${port}`) ?? byTarget.get(`* ${port}`);
    return endpoints !== undefined && !endpoints.has(answerer);
  });
}

/**
 * Makes the kernel forget UDP flows that would go on to an endpoint that is gone for as long as a client sends: nat looks
 * at the first packet of a flow alone. TCP connections end by themselves. @see kube-proxy's conntrack cleaner
 * @returns how many kinds of flows of the family are forgotten
 */
export async function forgetStaleFlows(
  family: UdpTarget["family"],
  targets: readonly UdpTarget[],
  log: Log,
): Promise<number> {
  const own = targets.filter((target) => target.family === family);
  return own.length === 0 ? 0 : forget(family === "ip" ? "ipv4" : "ipv6", own, log);
}

/** Flows from all clients to one address that one endpoint answers are forgotten together. */
const oneOfEach = (flows: readonly Flow[]): Flow[] => [
  ...new Map(flows.map((flow) => [`${flow.destination} ${flow.port} ${flow.answerer}`, flow])).values(),
];

async function forget(family: "ipv4" | "ipv6", targets: readonly UdpTarget[], log: Log): Promise<number> {
  let forgotten = 0;
  try {
    const { stdout } = await run("conntrack", ["-L", "-f", family, "-p", "udp"], { maxBuffer: MAX_LIST_BYTES });
    const flows = stdout
      .split("\n")
      .map(parseFlow)
      .filter((flow) => flow !== undefined);
    for (const { destination, port, answerer } of oneOfEach(staleFlows(flows, targets)).slice(0, MAX_DELETIONS)) {
      const [from = "", fromPort = ""] = answerer.split(" ");
      const tuple = [
        "--orig-dst",
        destination,
        "--orig-port-dst",
        port,
        "--reply-src",
        from,
        "--reply-port-src",
        fromPort,
      ];
      // One that ended meanwhile is no failure.
      await run("conntrack", ["-D", "-f", family, "-p", "udp", ...tuple]).then(
        () => forgotten++,
        () => {},
      );
    }
  } catch (error) {
    log("warn", "flows of UDP Services could not be looked at; those to endpoints that are gone end by themselves", {
      error: String(error),
    });
  }
  return forgotten;
}
