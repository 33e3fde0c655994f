import { messageOf } from "../../shared/message-of.ts";
import { filterBridge } from "../cni/index.ts";
import { type Informer, keyOf } from "../informer/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { PolicyEngine } from "./engine.ts";
import { addressOf, podFacts } from "./pod-facts.ts";
import { readPolicy } from "./policy.ts";
import type { TableOptions } from "./render.ts";
import { createTableKeeper, type Nft } from "./table-keeper.ts";

/** Somebody may have flushed all tables; to look at one chain takes milliseconds. */
const CHECK_MS = 5_000;
/** Every so many checks everything is counted. */
const CHECKS_PER_COUNT = 12;
/** A table that is in force already is better than one of what was remembered: the API has this long to tell. */
const SYNC_WAIT_MS = 5_000;

const DNS_SERVICE = "kube-system/kube-dns";
const DNS_PORT = 53;
/** No pod is called that: keys have no spaces. */
const NAMES_KEY = "names of the node";

export interface Enforcement {
  policiesChanged(keys: Iterable<string>): void;
  namespacesChanged(keys: Iterable<string>): void;
  podsChanged(keys: Iterable<string>): void;
  /** Its ranges, or where it answers names. */
  nodeChanged(): void;
  /** Settles when the kernel has all that is known now. @throws Error if it does not take it */
  settled(): Promise<void>;
  /** Whether any policy selects a pod; true also while that is not known. */
  isSelected(key: string): boolean;
  /** Settles when nothing is written any more; the table stays. */
  stop(): Promise<void>;
}

/**
 * The cluster's policies in force on this node, from the first policy on.
 * @param options before: what is to be over before the table is touched
 */
export function startEnforcement(
  context: NetworkContext,
  { table, nft, before }: { table: string; nft: Nft; before: Promise<void> },
): Enforcement {
  const { networkPolicies, namespaces, localPods, localEndpoints, nodeName, clock, log } = context;
  const engine = new PolicyEngine();
  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  let pods: Awaited<ReturnType<NetworkContext["pods"]>> | undefined;
  let names = whereNamesAre();
  const keeper = createTableKeeper({
    engine,
    options: (): TableOptions => ({ table, ...(names && { names }) }),
    nft,
    clock,
    log,
    signal,
  });
  const sync = () => void keeper.sync().catch(() => {});
  const started = start();
  started.catch((error: unknown) => {
    if (!signal.aborted) log("error", "the network policies cannot be put in force", { error: messageOf(error) });
  });

  async function start(): Promise<void> {
    await before;
    const [followed, found] = await Promise.all([
      context.pods(),
      nft.countRules(table, "egress").catch(() => undefined),
    ]);
    await Promise.all([followed.known, namespaces.known]);
    if (found !== undefined) {
      const synced = [networkPolicies, namespaces, followed].map(untilSynced);
      await Promise.race([Promise.all(synced), clock.sleep(SYNC_WAIT_MS, signal)]);
    }
    if (signal.aborted) return;
    pods = followed;
    putNode();
    for (const { metadata } of namespaces.list()) engine.setNamespace(metadata.name ?? "", metadata.labels ?? {});
    const keys = [...pods.list().map(keyOf), ...localKeys()];
    for (const key of new Set(keys)) putPod(key);
    for (const policy of networkPolicies.list()) putPolicy(keyOf(policy));
    const unfollow = followed.onChange((changed) => podsChanged(changed));
    signal.addEventListener("abort", unfollow, { once: true });
    await keeper.sync();
    void keepChecking();
  }

  async function keepChecking(): Promise<void> {
    await lookAtBridge();
    for (let count = 1; !signal.aborted; count++) {
      await clock.sleep(CHECK_MS, signal);
      if (signal.aborted) return;
      await keeper.check(count % CHECKS_PER_COUNT === 0 ? "all" : "hook").catch((error: unknown) => {
        log("warn", "the network policies' table cannot be checked", { error: messageOf(error) });
      });
      await lookAtBridge();
    }
  }

  async function lookAtBridge(): Promise<void> {
    await filterBridge(context.bridgeName).catch((error: unknown) => {
      log("error", "network policies do not hold between the pods of this node", { error: messageOf(error) });
    });
  }

  const localKeys = () => localPods.list().map(([key]) => key);

  /** The node's own word for its pods counts, and the API's for all others. */
  function putPod(key: string): void {
    const reported = pods!.get(key);
    const local = localPods.get(key);
    const isOurs = local !== undefined && reported?.spec?.nodeName === nodeName;
    engine.setPod(key, reported && !isOurs ? podFacts(reported, { nodeName }) : undefined);
    // The API has newer labels than what the kubelet had in its hands when it last told.
    const isSame = isOurs && reported.metadata.uid === local.pod.metadata.uid;
    const facts = local && podFacts(isSame ? reported : local.pod, { nodeName, told: local.ips });
    engine.setPod(`local ${key}`, facts);
  }

  function putPolicy(key: string): void {
    const policy = networkPolicies.get(key);
    engine.setPolicy(key, policy && readPolicy(policy));
  }

  /** Whoever answers names here stands for the pods that would: policies name those. */
  function putNode(): void {
    engine.setOwnRanges(context.podCidrs());
    engine.setPod(NAMES_KEY, {
      namespace: "kube-system",
      labels: { "k8s-app": "kube-dns" },
      addresses: addressOf(context.localAddress),
      namedPorts: [
        { name: "dns", protocol: "UDP", port: DNS_PORT },
        { name: "dns-tcp", protocol: "TCP", port: DNS_PORT },
      ],
      isLocal: false,
    });
  }

  /** Policies speak of port 53: where that was taken, and names are answered on another, nothing is held to them. */
  function whereNamesAre(): TableOptions["names"] {
    const ports = localEndpoints.list().filter(({ service }) => service === DNS_SERVICE);
    const isUsual = ports.every(({ targetPort }) => targetPort === DNS_PORT);
    return isUsual ? { address: context.localAddress, port: DNS_PORT } : undefined;
  }

  function podsChanged(keys: Iterable<string>): void {
    if (!pods) return;
    for (const key of keys) putPod(key);
    sync();
  }

  return {
    podsChanged,
    policiesChanged(keys) {
      if (!pods) return;
      for (const key of keys) putPolicy(key);
      sync();
    },
    namespacesChanged(keys) {
      if (!pods) return;
      for (const key of keys) {
        const namespace = namespaces.get(key);
        engine.setNamespace(key, namespace && (namespace.metadata.labels ?? {}));
      }
      sync();
    },
    nodeChanged() {
      const now = whereNamesAre();
      if (now?.address !== names?.address) {
        names = now;
        keeper.rewrite();
      }
      if (!pods) return;
      putNode();
      sync();
    },
    async settled() {
      await started;
      await keeper.sync();
    },
    isSelected(key) {
      if (!pods) return true;
      const pod = localPods.get(key)?.pod;
      return !pod || engine.isSelected(podFacts(pods.get(key) ?? pod, { nodeName }));
    },
    async stop() {
      stopping.abort();
      await keeper.idle();
    },
  };
}

/** An informer tells when the API has told its set, changed or not. */
function untilSynced(informer: Pick<Informer<object>, "isSynced" | "onChange">): Promise<void> {
  return new Promise((resolve) => {
    if (informer.isSynced()) return resolve();
    const end = informer.onChange(() => {
      if (!informer.isSynced()) return;
      end();
      resolve();
    });
  });
}
