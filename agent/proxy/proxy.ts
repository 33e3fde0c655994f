import { randomUUID } from "node:crypto";
import { parseIp } from "../../shared/api/ip.ts";
import type { Node } from "../../shared/api/types.ts";
import { createWake } from "../clock/index.ts";
import { keyOf } from "../informer/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { forgetStaleFlows } from "./conntrack.ts";
import { createHealthServers, type HealthCheck } from "./health.ts";
import { type Finding, watchRemovals } from "./nft.ts";
import type { ServicePlan } from "./plan.ts";
import { createServiceIndex } from "./service-index.ts";
import { type Family, familyOf } from "./service-port.ts";
import { type IpFamily, isNodeEligible, ProxyStatus, serveStatus } from "./status/index.ts";
import { chooseTable, tablesOf } from "./table-name.ts";
import { createTableSync } from "./table-sync.ts";
import { STALE_MS } from "./transaction.ts";
import { untilCurrent } from "./until-current.ts";
import { Wanted } from "./wanted.ts";

const FAMILIES: Family[] = ["ip", "ip6"];
const IP_FAMILY: Record<Family, IpFamily> = { ip: "IPv4", ip6: "IPv6" };
const ZONE_LABEL = "topology.kubernetes.io/zone";
/** Changes while a transaction is carried out, and for as long again, are the next one; at least and at most (ms). */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** Everything is written anew now and then: an entry that somebody took away by hand is seen by no other means. */
const RESYNC_MS = 3_600_000;
const WATCH_RETRY_MS = 30_000;
/** Changes that go by unseen so soon after the whole was written are that: to write it again would be without end. */
const OWN_EVENTS_MS = 10_000;
/** Between two repairs at least: a program that keeps taking rules away must not keep the node busy. */
const MIN_REPAIR_MS = 2_000;

/** What the proxy needs of a node's network. */
export type ProxyContext = Pick<
  NetworkContext,
  | "services"
  | "endpointSlices"
  | "nodes"
  | "serviceCidrs"
  | "nodeName"
  | "instance"
  | "podCidrs"
  | "onPodCidrs"
  | "localEndpoints"
  | "clock"
  | "log"
  | "signal"
>;

/**
 * The service proxy of a node, as kube-proxy in its nftables mode: it keeps the rules that lead from the addresses and
 * ports of Services to their endpoints. It begins when it knows them from the API, or from the last run; until then what an
 * earlier agent wrote stands.
 */
export async function startProxy(context: ProxyContext): Promise<{ stop(): Promise<void> }> {
  const { services, endpointSlices, nodes, nodeName, instance, clock, log, signal } = context;
  const table = await chooseTable(instance);
  const mark = randomUUID();
  const index = createServiceIndex(endpointSlices);
  const newTable = () => ({
    sync: createTableSync({ log, mark }),
    /** Services whose rules may have to change. */
    changed: new Set<string>(),
    wanted: new Wanted(services, index),
    wasWritten: false,
  });
  const tables: Record<Family, ReturnType<typeof newTable>> = { ip: newTable(), ip6: newTable() };
  const status = new ProxyStatus(clock);
  const { setBalanced } = serveStatus(
    {
      health: status.health,
      metrics: status.metrics,
      isNodeEligible: () => isNodeEligible(nodes.get(nodeName)),
    },
    { clock, log, signal },
  );
  const health = createHealthServers({ isHealthy: () => status.health.isHealthy(), log });
  let isRunning = false;
  let isAllKnown = false;
  const wake = createWake();

  async function write(triggersMs: Record<IpFamily, number[]>): Promise<void> {
    const facts = nodeFacts(nodes.get(nodeName), context.podCidrs());
    const cidrs = new Set(context.serviceCidrs.list().flatMap(({ spec }) => spec?.cidrs ?? []));
    for (const family of FAMILIES) {
      const { sync, changed, wanted } = tables[family];
      const startedMs = clock.nowMs();
      const keys = [...changed];
      changed.clear();
      const options = {
        ...{ family, table, owner: instance },
        serviceCidrs: [...cidrs].filter((cidr) => cidr.includes(":") === (family === "ip6")).sort(),
        podCidrs: facts.podCidrs[family],
        nodeIps: facts.nodeIps[family],
      };
      try {
        const pieces = wanted.pieces({
          family,
          local: context.localEndpoints.list(),
          place: { nodeName, zone: facts.zone },
          podCidrs: facts.podCidrs[family],
          nodeIp: facts.nodeIps[family][0],
        });
        const isWhole = await sync.sync(options, pieces, keys);
        tables[family].wasWritten = true;
        const tookMs = clock.nowMs() - startedMs;
        status.written(IP_FAMILY[family], { tookMs, isWhole, triggersMs: triggersMs[IP_FAMILY[family]] });
        status.metrics.withoutLocal(IP_FAMILY[family], sum([...wanted.withoutLocal.values()]));
      } catch (error) {
        status.metrics.failed(IP_FAMILY[family]);
        // A kernel without IPv6 has no use for its rules either.
        if (family === "ip" || tables.ip6.wasWritten) throw error;
        log("debug", "the rules for IPv6 could not be written", { error: String(error) });
      }
    }
  }

  async function forgetFlows(): Promise<void> {
    for (const family of FAMILIES) {
      const startedMs = clock.nowMs();
      const { udp } = tables[family].wanted;
      const targets = [...udp.values()].flat();
      udp.clear();
      const deleted = await forgetStaleFlows(family, targets, log);
      status.metrics.flowsForgotten(IP_FAMILY[family], { tookMs: clock.nowMs() - startedMs, deleted });
    }
  }

  async function run(): Promise<void> {
    if (isRunning || !isAllKnown) return;
    isRunning = true;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const startedMs = clock.nowMs();
      try {
        await write(status.takeUp());
        retryMs = FIRST_RETRY_MS;
        health.update([...mostEndpoints(FAMILIES.map((family) => tables[family].wanted.checks)).values()]);
        await forgetFlows();
      } catch (error) {
        status.queued();
        log("error", "the service rules could not be written; they are as they were", { error: String(error) });
        await clock.sleep(retryMs, signal);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
        continue;
      }
      const tookMs = clock.nowMs() - startedMs;
      await clock.sleep(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, tookMs)), signal);
      if (!(await idle())) break;
    }
    isRunning = false;
  }

  /** Until there is something to do. @returns false when the proxy ends */
  async function idle(): Promise<boolean> {
    const hasStale = FAMILIES.some((family) => tables[family].sync.hasStale());
    const isWoken = await wake.wait(hasStale ? STALE_MS : RESYNC_MS, clock, signal);
    if (!isWoken && !hasStale) doubt();
    return !signal.aborted;
  }

  const add = (keys: Iterable<string>) => {
    for (const key of keys) for (const family of FAMILIES) tables[family].changed.add(key);
    if (!isAllKnown) return;
    status.queued();
    wake.notify();
    void run();
  };
  const addAll = () => add(services.list().map(keyOf));
  /** The next transaction is the whole. */
  const doubt = () => {
    for (const family of FAMILIES) tables[family].sync.distrust();
  };
  const distrust = () => {
    doubt();
    status.queued();
    wake.notify();
  };

  const balanced = new Set<string>();
  const noteBalanced = (keys: Iterable<string>) => {
    for (const key of keys) {
      if (services.get(key)?.spec?.type === "LoadBalancer") balanced.add(key);
      else balanced.delete(key);
    }
    setBalanced(balanced.size > 0);
  };
  noteBalanced(services.list().map(keyOf));
  services.onChange((keys) => {
    status.servicesChanged(keys.size);
    noteBalanced(keys);
    add(keys);
  });
  endpointSlices.onChange((keys) => {
    status.slicesChanged([...keys].map((key) => endpointSlices.get(key)));
    add(index.update(keys));
  });
  let facts = "";
  const onFacts = () => {
    const now = JSON.stringify(nodeFacts(nodes.get(nodeName), context.podCidrs()));
    if (now !== facts) addAll();
    facts = now;
  };
  nodes.onChange((keys) => keys.has(nodeName) && onFacts());
  context.onPodCidrs(onFacts);
  context.serviceCidrs.onChange(() => add([]));
  context.localEndpoints.onChange(() => add(context.localEndpoints.list().map(({ service }) => service)));

  const gone = new AbortController();
  const hasRules = (await tablesOf(instance)).some(([family]) => family === "ip");
  void untilCurrent(context, { hasRules, isGone: gone.signal }).then(() => {
    if (signal.aborted) return;
    index.update(endpointSlices.list().map(keyOf));
    isAllKnown = true;
    addAll();
    void run();
  });
  void keepWatch();

  /** What others take away of the table is written again at once. */
  async function keepWatch(): Promise<void> {
    let repairedMs = Number.NEGATIVE_INFINITY;
    let isPlanned = false;
    const isWholeJustWritten = () =>
      FAMILIES.some((family) => clock.nowMs() - tables[family].sync.wholeWrittenMs() < OWN_EVENTS_MS);
    const repair = async () => {
      if (isPlanned) return;
      isPlanned = true;
      await clock.sleep(Math.max(0, repairedMs + MIN_REPAIR_MS - clock.nowMs()), signal);
      isPlanned = false;
      repairedMs = clock.nowMs();
      gone.abort();
      log("warn", "somebody changed the service rules; they are written anew", { table });
      distrust();
    };
    while (!signal.aborted) {
      const onFinding = (finding: Finding) => {
        if (finding === "removal" || !isWholeJustWritten()) void repair();
      };
      await watchRemovals(table, { mark, onFinding, signal });
      await clock.sleep(WATCH_RETRY_MS, signal);
      if (!signal.aborted) distrust(); // what happened in between was not seen
    }
  }

  return {
    async stop() {
      health.stop();
    },
  };
}

/** Of a Service in two families the one that has endpoints counts. */
function mostEndpoints(all: readonly ReadonlyMap<string, HealthCheck>[]): Map<string, HealthCheck> {
  const most = new Map<string, HealthCheck>();
  for (const [service, check] of all.flatMap((checks) => [...checks])) {
    if (check.localEndpoints >= (most.get(service)?.localEndpoints ?? 0)) most.set(service, check);
  }
  return most;
}

const sum = (counts: readonly ServicePlan["withoutLocal"][]) => ({
  internal: counts.reduce((total, { internal }) => total + internal, 0),
  external: counts.reduce((total, { external }) => total + external, 0),
});

/** What of a node the rules depend on. */
function nodeFacts(node: Node | undefined, podCidrs: string[]) {
  const addresses = (node?.status?.addresses ?? [])
    .filter(({ type }) => type === "InternalIP")
    .map(({ address }) => parseIp(address) && { address, family: familyOf(parseIp(address)!) })
    .filter((each) => each !== undefined);
  const of = (family: Family) => addresses.filter((each) => each.family === family).map(({ address }) => address);
  return {
    zone: node?.metadata.labels?.[ZONE_LABEL] ?? "",
    nodeIps: { ip: of("ip"), ip6: of("ip6") },
    podCidrs: {
      ip: podCidrs.filter((cidr) => !cidr.includes(":")),
      ip6: podCidrs.filter((cidr) => cidr.includes(":")),
    },
  };
}
