import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../kubelet/index.ts";

const run = promisify(execFile);

const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** Each is a process; what is left over goes with the entries' own time, 30 s without packets. */
const MAX_DELETIONS = 500;

/** Where datagrams to a Service's address may be going at present. */
export interface UdpTarget {
  /** `<address> <port>` as the client writes them; of node ports the address is any of the node's: `* <port>`. */
  to: string;
  /** `<address> <port>` of the endpoints. */
  endpoints: ReadonlySet<string>;
}

export interface Flow {
  source: string;
  destination: string;
  sourcePort: string;
  port: string;
  /** Who answers, as far as the kernel knows. */
  answerer: string;
}

const TUPLES = /src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+) .*?src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;

/** Reads a line of `conntrack -L -p udp`. Undefined for what is none. */
export function parseFlow(line: string): Flow | undefined {
  const [, source, destination, sourcePort, port, from, fromPort] = TUPLES.exec(line) ?? [];
  if (!source || !destination || !sourcePort || !port) return undefined;
  return { source, destination, sourcePort, port, answerer: `${from} ${fromPort}` };
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
 */
export async function forgetStaleFlows(targets: readonly UdpTarget[], log: Log): Promise<void> {
  const isV6 = ({ to }: UdpTarget) => to.includes(":");
  await forget(
    "ipv4",
    targets.filter((target) => !isV6(target)),
    log,
  );
  await forget("ipv6", targets.filter(isV6), log);
}

async function forget(family: "ipv4" | "ipv6", targets: readonly UdpTarget[], log: Log): Promise<void> {
  if (targets.length === 0) return;
  try {
    const { stdout } = await run("conntrack", ["-L", "-f", family, "-p", "udp"], { maxBuffer: MAX_LIST_BYTES });
    const flows = stdout
      .split("\n")
      .map(parseFlow)
      .filter((flow) => flow !== undefined);
    for (const { source, destination, sourcePort, port } of staleFlows(flows, targets).slice(0, MAX_DELETIONS)) {
      const tuple = ["--orig-src", source, "--orig-dst", destination, "--sport", sourcePort, "--dport", port];
      // One that ended meanwhile is no failure.
      await run("conntrack", ["-D", "-f", family, "-p", "udp", ...tuple]).catch(() => {});
    }
  } catch (error) {
    log("warn", "flows of UDP Services could not be looked at; those to endpoints that are gone end by themselves", {
      error: String(error),
    });
  }
}
