import { join } from "node:path";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { PODS } from "../../shared/api/refs.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { messageOf } from "../../shared/message-of.ts";
import { isStatic, type Pod, printPod, whyUnusable } from "../api/index.ts";
import { createPodCgroups } from "../cgroup/index.ts";
import { type Clock, systemClock } from "../clock/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { PodUsage, Pressure } from "../eviction/index.ts";
import { type Log, silentLog } from "../log/index.ts";
import { followShutdown, type Logind } from "../nodeshutdown/index.ts";
import { noPinning, type Pinning } from "../pinning/index.ts";
import { createProber } from "../probes/index.ts";
import { createResizes } from "../resize/index.ts";
import type { AgentState } from "../state/index.ts";
import { createUserNamespaces } from "../userns/index.ts";
import { createPodVolumes } from "../volumes/index.ts";
import { createGate } from "./admission/index.ts";
import { createBackoff } from "./backoff.ts";
import { collectGarbage } from "./container-gc.ts";
import type { KubeletDeps } from "./deps.ts";
import { createEventRecorder } from "./events.ts";
import type { Feed } from "./feed.ts";
import { createImagePuller, createPullTurns } from "./images/index.ts";
import { keepNode } from "./node-upkeep.ts";
import { createObjects } from "./objects.ts";
import type { RuntimeSnapshot } from "./observe.ts";
import { createOrphanRemoval, findOrphans, removeOrphanVolumes } from "./orphans.ts";
import { followOwnNode } from "./own-node.ts";
import { noPodNetwork, type PodNetwork } from "./pod-network.ts";
import { isNews, type PodWorker, PREEMPTED, SHUT_DOWN, startPodWorker } from "./pod-worker.ts";
import { podReferences } from "./references.ts";
import { watchRuntime } from "./runtime-watch.ts";
import type { NodeFacts } from "./sandbox-config.ts";
import { createServiceList, type ServiceSource } from "./service-list.ts";
import type { KubeletSettings } from "./settings.ts";
import { createMirrorPods, followManifests, fullName, isMirror } from "./static-pods/index.ts";
import { createStatusWriter } from "./status-writer.ts";
import { createUpkeep, isEvicted } from "./upkeep.ts";

const STOP_TIMEOUT_MS = 5_000;
/** The first soon, as many failures pass; then as a kubelet's pod workers do. */
const SANDBOX_RETRY_MS = 5_000;
const MAX_SANDBOX_RETRY_MS = 10_000;
/** The kubelet's pauses between attempts to mount (goroutinemap/exponentialbackoff). */
const VOLUME_RETRY_MS = 500;
const MAX_VOLUME_RETRY_MS = 122_000;

export interface KubeletOptions {
  api: ApiClient;
  feed: Feed;
  cri: CriClient;
  state: AgentState;
  /** Their addresses go into environments. */
  services: ServiceSource;
  /** Volumes of pods go under it. */
  stateDir: string;
  settings: KubeletSettings;
  node: NodeFacts;
  pinning?: Pinning;
  podNetwork?: PodNetwork;
  /** What holds up a shutdown of the machine; undefined: nothing does. */
  logind?: Logind;
  /** Told when what the Node says of itself should be said anew. */
  onNodeChange?: () => void;
  clock?: Clock;
  log?: Log;
}

interface Entry {
  worker: PodWorker;
  pod: Pod;
  /** Whether the disk has the pod; it may be full. */
  isSaved: boolean;
}

export interface Kubelet {
  /** The pods it looks after, as they were last told, with the status that was last reported. */
  pods(): Pod[];
  /** What the node is short of. */
  pressures(): ReadonlySet<Pressure>;
  /** What pods take of the node, by uid. */
  measure(pods: readonly Pod[]): Promise<ReadonlyMap<string, PodUsage>>;
  /** Whether the API has told the pods since the start. */
  isSynced(): boolean;
  /** When the runtime last told all it has (epoch ms); undefined: not yet. */
  relistedMs(): number | undefined;
  /** Whether the machine is about to go down. */
  isShuttingDown(): boolean;
  /** Lets go of all pods, which run on. Settles when nothing is being done any more. */
  stop(): Promise<void>;
}

/**
 * Runs the pods of this node: those remembered on the disk at once, so that the node works without its control plane,
 * and what the API tells as soon as it does. Pods that the runtime has and the API does not know are stopped only after
 * the API has told all of them.
 */
export async function runKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { api, feed, cri, state, stateDir, settings, node, clock = systemClock, log = silentLog } = options;
  const { pinning = noPinning, podNetwork = noPodNetwork } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const workers = new Map<string, Entry>();
  const onChange = (uid: string, fingerprint?: string) => workers.get(uid)?.worker.wake(fingerprint);
  const objects = createObjects({ api, feed, state, clock, log, onChange, signal });
  const ownNode = followOwnNode({ feed, nodeName: node.nodeName, signal });
  const allocatable = () => ownNode.current()?.status?.allocatable ?? fallbackAllocatable(node);
  const mirrors = createMirrorPods({ api, ownNode, clock, log, signal });
  const events = createEventRecorder({ api, nodeName: node.nodeName, clock, signal });
  let isShuttingDown = false;
  const gate = createGate({
    ownNode,
    facts: node,
    allowedUnsafeSysctls: settings.allowedUnsafeSysctls,
    clock,
    signal,
    async preempt(pod) {
      await workers.get(pod.metadata.uid)?.worker.end(PREEMPTED);
    },
    pressures: () => upkeep.pressures(),
    isShuttingDown: () => isShuttingDown,
    pinning,
  });
  const cgroups = createPodCgroups({
    settings: node.cgroups,
    activePods: () =>
      [...workers.values()].filter(({ pod }) => !isPodTerminal(pod)).map(({ pod }) => resizes.granted(pod)),
    hasExclusiveCpus: (uid) => pinning.hasExclusive(uid),
  });
  const resizes = createResizes({
    cri,
    cgroups,
    settings: node.cgroups,
    state,
    policies: node.resizePolicies,
    makeRoom: async (pod) => (await gate.resize(pod))?.message,
  });
  const userns = await createUserNamespaces({ podsDirectory: join(stateDir, "pods"), space: settings.userIds });
  const deps: KubeletDeps = {
    cri,
    api,
    state,
    clock,
    log,
    settings,
    node,
    events,
    images: createImagePuller({
      cri,
      backoff: createBackoff(),
      events,
      clock,
      state,
      turns: createPullTurns({
        maxParallel: settings.maxParallelPulls,
        qps: settings.pullQps,
        burst: settings.pullBurst,
        nowMs: clock.nowMs,
      }),
      verification: settings.pullVerification,
    }),
    volumes: createPodVolumes({
      stateDir,
      sources: objects,
      allocatable,
      onSlow: (pod, message) => events.forPod(pod)("Warning", "VolumePermissionChangeInProgress", message),
      onTornDown: (uid) => userns.release(uid),
    }),
    userns,
    objects,
    gate,
    cgroups,
    pinning,
    podNetwork,
    resizes,
    allocatable,
    sandboxRetries: createBackoff({ initialMs: SANDBOX_RETRY_MS, maxMs: MAX_SANDBOX_RETRY_MS }),
    volumeRetries: createBackoff({ initialMs: VOLUME_RETRY_MS, maxMs: MAX_VOLUME_RETRY_MS }),
    restarts: createBackoff({ maxMs: settings.maxRestartPauseMs }),
    statuses: createStatusWriter({
      api,
      clock,
      log,
      signal,
      recordOf: (pod) => (isStatic(pod) ? mirrors.of(pod) : pod),
    }),
    probes: createProber({
      cri,
      clock,
      signal,
      onChange,
      onNote: (pod, container, reason, message) => events.forContainer(pod, container)("Warning", reason, message),
    }),
    services: createServiceList(options.services, clock, signal),
  };

  const upkeep = createUpkeep({
    ...deps,
    stateDir,
    pods: () => [...workers.values()].map(({ pod }) => pod),
    async end(pod, failure, options) {
      await workers.get(pod.metadata.uid)?.worker.end(failure, options);
      // Of one that was evicted nothing is kept: what it leaves in the runtime is what there is to win.
      runtime.relist();
    },
  });

  let synced = false;
  /** Pods went since objects on the disk were last compared with those that are used. */
  let mayForgetObjects = true;

  function upsert(pod: Pod): void {
    const why = whyUnusable(pod);
    if (why !== undefined) {
      log("error", "a pod is not run", { pod: pod.metadata?.name, why });
      return;
    }
    const { uid } = pod.metadata;
    const known = workers.get(uid);
    // The disk need not have every echo of our own reports; the end of a pod is worth a write.
    const isWorthSaving = !known?.isSaved || isNews(known.pod, pod) || known.pod.status?.phase !== pod.status?.phase;
    const entry = known ?? { worker: startPodWorker(deps, pod, signal), pod, isSaved: false };
    if (known) {
      known.pod = pod;
      known.worker.update(pod);
    } else {
      workers.set(uid, entry);
      void entry.worker.finished
        .then(() => forget(uid))
        .catch((error: unknown) => log("error", "a pod's worker failed", { pod: printPod(pod), error: String(error) }));
    }
    // The file is there anyway, and what it says counts when it has changed meanwhile.
    if (isWorthSaving && !isStatic(pod)) void save(entry);
  }

  let staticPods: Pod[] = [];

  /** Starts those that are missing. One that has changed waits for its predecessor to end: they have one name. */
  function syncStaticPods(): void {
    const wanted = new Set(staticPods.map(({ metadata }) => metadata.uid));
    for (const [uid, { pod, worker }] of workers) if (isStatic(pod) && !wanted.has(uid)) worker.remove();
    for (const pod of staticPods) {
      if (workers.has(pod.metadata.uid)) continue;
      const isTaken = [...workers.values()].some(
        ({ pod: other }) => isStatic(other) && fullName(other) === fullName(pod),
      );
      if (!isTaken) upsert(pod);
    }
    mirrors.want(staticPods.filter(({ metadata }) => workers.has(metadata.uid)));
  }

  function seenMirror(mirror: Pod): void {
    mirrors.upsert(mirror);
    const uid = mirror.metadata.annotations?.["kubernetes.io/config.mirror"] ?? "";
    if (workers.has(uid)) deps.statuses.seenMirror(uid, mirror);
  }

  async function save(entry: Entry): Promise<void> {
    const { pod } = entry;
    try {
      entry.isSaved = true;
      await state.savePod(pod);
    } catch (error) {
      entry.isSaved = false;
      log("error", "cannot remember a pod on the disk", { pod: printPod(pod), error: String(error) });
    }
  }

  async function forget(uid: string): Promise<void> {
    if (signal.aborted) return;
    workers.delete(uid);
    deps.statuses.forget(uid);
    deps.images.forgetPod(uid);
    deps.objects.forgetPod(uid);
    deps.probes.forgetPod(uid);
    deps.restarts.forget(`${uid}_`);
    deps.sandboxRetries.forget(uid);
    deps.volumeRetries.forget(uid);
    resizes.forget(uid);
    mayForgetObjects = true;
    // What cannot be written down now holds up nobody: the API's word counts at the next start, too.
    for (const step of [() => deps.gate.release(uid), () => state.forgetPod(uid)]) {
      await step().catch((error: unknown) => log("error", "cannot forget a pod", { uid, error: messageOf(error) }));
    }
    // There may be room now for what others have asked for.
    for (const [other, { worker }] of workers) if (resizes.isPending(other)) worker.wake();
    syncStaticPods();
    await updateCgroups();
  }

  function updateCgroups(): Promise<void> {
    return deps.cgroups
      .update()
      .catch((error: unknown) => log("warn", "cannot set the cgroups of all pods", { error: messageOf(error) }));
  }

  for (const pod of await state.pods()) upsert(pod);
  const { staticPodPath } = settings;
  if (staticPodPath !== undefined) {
    const onPods = (pods: Pod[]) => {
      staticPods = pods;
      syncStaticPods();
    };
    // Before anything is cleaned up: what they have in the runtime is none of an orphan.
    await followManifests({ directory: staticPodPath, nodeName: node.nodeName, clock, log, signal, onPods });
  }

  feed(
    PODS,
    { fieldSelector: `spec.nodeName=${node.nodeName}` },
    {
      replace(all) {
        deps.statuses.relisting();
        const [copies, pods] = partition(all as Pod[], isMirror);
        const uids = new Set(pods.map(({ metadata }) => metadata.uid));
        for (const [uid, { pod, worker }] of workers) if (!uids.has(uid) && !isStatic(pod)) worker.remove();
        for (const pod of pods) upsert(pod);
        mirrors.replace(copies);
        for (const mirror of copies) seenMirror(mirror);
        // What the runtime has of others is an orphan only from now on.
        if (!synced) runtime.relist();
        synced = true;
      },
      upsert: (pod) => (isMirror(pod as Pod) ? seenMirror : upsert)(pod as Pod),
      remove: (pod) =>
        isMirror(pod as Pod) ? mirrors.remove(pod as Pod) : workers.get(pod.metadata.uid ?? "")?.worker.remove(),
    },
    signal,
  );

  const orphans = createOrphanRemoval(deps);
  let cleaning: Promise<void> | undefined;
  let checkedVolumes = false;
  async function clean(snapshot: RuntimeSnapshot): Promise<void> {
    const uids = new Set(workers.keys());
    const evicted = [...workers].filter(([, { pod }]) => isEvicted(deps.statuses.current(pod))).map(([uid]) => uid);
    await collectGarbage(deps, snapshot, uids, new Set(evicted));
    if (!synced) return;
    orphans.start(findOrphans(snapshot, uids, node.instance));
    if (mayForgetObjects) {
      mayForgetObjects = false;
      const isUsed = (key: string) => [...workers.values()].some(({ pod }) => podReferences(pod).has(key));
      await state.keepObjects(isUsed);
    }
    if (checkedVolumes) return;
    await pinning.retain((uid) => workers.has(uid));
    await state.keepPullRecords((await cri.listImages()).map(({ id }) => id));
    await removeOrphanVolumes(deps, join(stateDir, "pods"), new Set([...workers.keys(), ...orphans.uids()]));
    checkedVolumes = true;
  }

  async function waitWithShutdown(): Promise<void> {
    const { logind, onNodeChange } = options;
    if (!logind) return;
    const sink = {
      activePods: () => [...workers.values()].map(({ pod }) => pod).filter((pod) => !isPodTerminal(pod)),
      async end(pod: Pod, graceSeconds: number) {
        await workers.get(pod.metadata.uid)?.worker.end(SHUT_DOWN, { graceSeconds });
      },
      onShutdown(begins: boolean) {
        isShuttingDown = begins;
        const what = begins ? "event" : "cancellation";
        events.forNode("Normal", "NodeShutdown", `Shutdown manager detected shutdown ${what}`);
        onNodeChange?.();
      },
    };
    await followShutdown({ logind, periods: settings.shutdownPeriods, sink, clock, log, signal });
  }

  const keeping = Promise.all([keepNode(deps, events.forNode, signal), upkeep.run(signal), waitWithShutdown()]);
  const runtime = watchRuntime({
    cri,
    clock,
    log,
    signal,
    onChange,
    onSnapshot(snapshot) {
      // What runs on is the next agent's to clean up after.
      if (signal.aborted) return;
      cleaning ??= clean(snapshot)
        .catch((error: unknown) => log("warn", "cannot clean up", { error: String(error) }))
        .finally(() => {
          cleaning = undefined;
        });
    },
  });

  return {
    pods: () => [...workers.values()].map(({ pod }) => ({ ...pod, status: deps.statuses.current(pod) })),
    pressures: upkeep.pressures,
    measure: upkeep.measure,
    isSynced: () => synced,
    relistedMs: runtime.relistedMs,
    isShuttingDown: () => isShuttingDown,
    async stop() {
      stopping.abort();
      const ends = [
        runtime.finished,
        keeping,
        cleaning,
        orphans.settled(),
        ...[...workers.values()].map(({ worker }) => worker.finished),
      ];
      // Somebody may be waiting for a container's end; the next agent takes that up.
      await Promise.race([Promise.all(ends), clock.sleep(STOP_TIMEOUT_MS)]);
    },
  };
}

/** Until the node's object is known. */
const fallbackAllocatable = ({ cgroups }: NodeFacts) => ({
  cpu: `${cgroups.allocatable.cpuMilli}m`,
  memory: String(cgroups.allocatable.memoryBytes),
});

function partition<T>(list: T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [list.filter(isFirst), list.filter((item) => !isFirst(item))];
}
