import { randomBytes } from "node:crypto";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import type { Server } from "./corefile.ts";
import { type Forwarder, nameOf } from "./forwarder.ts";
import type { Query } from "./message.ts";

/** DHCP may change them at any time; a question asks no more often than this. */
const REREAD_MS = 5000;
const MAX_SERVERS = 3;
const HINFO = 13;

export interface Upstreams {
  /** The node's servers, without those that lead back to us. */
  servers(): Server[];
  /** Whether a question is one of those that find out about circles: such are never passed on. */
  isProbe(name: string): boolean;
}

/**
 * The node's own resolvers. Of each it is found out whether it asks us in turn (a node whose resolv.conf names the
 * cluster's own address): a question for a name that nobody else can know comes back then.
 */
export function followUpstreams(
  readServers: () => string[],
  { forwarder, clock, log }: { forwarder: Forwarder; clock: Pick<Clock, "nowMs">; log: Log },
): Upstreams {
  let servers: Server[] = [];
  let readMs = Number.NEGATIVE_INFINITY;
  const probes = new Map<string, string>();
  const circular = new Set<string>();

  const probe = (server: Server): void => {
    const name = `${randomBytes(8).toString("hex")}.${randomBytes(8).toString("hex")}`;
    probes.set(name, nameOf(server));
    void forwarder.ask(probeFor(name), [server], 0).finally(() => probes.delete(name));
  };
  return {
    servers() {
      if (clock.nowMs() - readMs >= REREAD_MS) {
        readMs = clock.nowMs();
        const now = readServers()
          .slice(0, MAX_SERVERS)
          .map((address): Server => ({ address, port: 53 }));
        if (now.map(nameOf).join() !== servers.map(nameOf).join()) {
          servers = now;
          circular.clear();
          forwarder.forget();
          for (const server of servers) probe(server);
        }
      }
      return servers.filter((server) => !circular.has(nameOf(server)));
    },
    isProbe(name) {
      const server = probes.get(name);
      if (server === undefined) return false;
      if (!circular.has(server)) {
        circular.add(server);
        log("error", "a name server of the node leads back to the cluster's names; it is not asked", { server });
      }
      return true;
    },
  };
}

function probeFor(name: string): Query {
  const labels = name.split(".").flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  const rawQuestion = Buffer.concat([...labels, Buffer.from([0, 0, HINFO, 0, 1])]);
  return { id: 0, flags: 0, name, type: "HINFO", class: "IN", rawQuestion };
}
