/**
 * Names for this node's pods: what kube-dns is elsewhere, answered by the agent itself from what it follows anyway, also
 * while the control plane is away. Questions for other names go to the node's resolvers. It serves no other machines, and
 * no zones of anybody's own: a CoreDNS that is installed behind the Service kube-dns takes its place.
 */

import { readHostDns } from "../kubelet/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { clusterIpsOf, createClusterNames } from "./cluster-names.ts";
import { type Corefile, DEFAULT_COREFILE, parseCorefile } from "./corefile.ts";
import { createForwarder } from "./forwarder.ts";
import { encodeReply } from "./message.ts";
import { failure } from "./record.ts";
import { resolve } from "./resolver.ts";
import { serveNames } from "./server.ts";
import { followUpstreams } from "./upstreams.ts";

const DNS_PORT = 53;
const KUBE_DNS = "kube-system/kube-dns";
const CONFIG = "kube-system/coredns";
const CUSTOM = "kube-system/coredns-custom";

/** @throws Error when no port can be listened on */
export async function startNames(context: NetworkContext): Promise<{ stop(): Promise<void> }> {
  const { services, configMaps, localEndpoints, localAddress, clock, log } = context;
  const names = createClusterNames(context, () => Math.floor(clock.nowMs() / 1000));
  const forwarder = createForwarder({ clock, log });
  const upstreams = followUpstreams(() => readHostDns().servers, { forwarder, clock, log });
  let corefile = parseCorefile(DEFAULT_COREFILE);
  const configure = (): void => {
    const text = configMaps.get(CONFIG)?.data?.Corefile ?? DEFAULT_COREFILE;
    corefile = readCorefile(text, configMaps.get(CUSTOM)?.data ?? {}) ?? corefile;
    forwarder.forget();
  };
  const readCorefile = (text: string, custom: Record<string, string>): Corefile | undefined => {
    const of = (ending: string) => Object.keys(custom).filter((key) => key.endsWith(ending));
    const textsOf = (ending: string) => of(ending).map((key) => custom[key]!);
    try {
      const read = parseCorefile(text, { servers: textsOf(".server"), overrides: textsOf(".override") });
      if (read.notUnderstood.length > 0) {
        log("warn", "parts of the configuration of names are passed over", { parts: read.notUnderstood.slice(0, 20) });
      }
      return read;
    } catch (error) {
      log("error", "the configuration of names cannot be read; the one before stays", { error: String(error) });
      return undefined;
    }
  };
  configure();
  configMaps.onChange((keys) => {
    if (keys.has(CONFIG) || keys.has(CUSTOM)) configure();
  });

  const deps = {
    names,
    clusterDomain: context.clusterDomain,
    nameServer: () => clusterIpsOf(services.get(KUBE_DNS))[0],
    corefile: () => corefile,
    forwarder,
    nodeServers: upstreams.servers,
    random: Math.random,
  };
  const server = await serveNames({
    address: localAddress,
    port: DNS_PORT,
    resolve: (query, limit) =>
      upstreams.isProbe(query.name) ? encodeReply(query, failure("NXDOMAIN"), limit) : resolve(query, limit, deps),
    fail: (query) => encodeReply(query, failure("SERVFAIL"), 512),
    log,
  });
  const own = { service: KUBE_DNS, port: DNS_PORT, address: localAddress };
  localEndpoints.set(
    { ...own, protocol: "UDP", targetPort: server.udpPort },
    { ...own, protocol: "TCP", targetPort: server.tcpPort },
  );
  return { stop: server.close };
}
