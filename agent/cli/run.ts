import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import { dnsClusterIp, primaryFamily } from "../../shared/api/cluster-network.ts";
import { createApiClient } from "../../shared/client/http-client.ts";
import { rememberAnnounced } from "../announce/index.ts";
import type { Pod } from "../api/index.ts";
import { systemClock } from "../clock/index.ts";
import {
  CLUSTER_DOMAIN,
  decideCgroupSettings,
  evictionThresholds,
  type KubeletConfiguration,
  kubeletSettings,
  readKubeletConfiguration,
} from "../configuration/index.ts";
import { type CriClient, connectRuntime, withFirstFamily } from "../cri/index.ts";
import { serveDial } from "../dial/index.ts";
import { evictionReserve, type PodUsage } from "../eviction/index.ts";
import {
  createWatchFeed,
  type Kubelet,
  type NodeFacts,
  POD_LOGS_ROOT,
  readHostDns,
  runKubelet,
} from "../kubelet/index.ts";
import type { Log } from "../log/index.ts";
import { startNetwork } from "../network/index.ts";
import { type MachineFacts, readAddresses, readMachine, runRegistration } from "../node/index.ts";
import { connectLogind } from "../nodeshutdown/index.ts";
import {
  agentCommand,
  agentEnvironment,
  containerdIn,
  ensureContainerd,
  findDetached,
  keepContainerdRunning,
  rotateLogs,
  startDetached,
  supervised,
  takeLock,
} from "../runtime/index.ts";
import { serveKubeletApi } from "../server/index.ts";
import { openState } from "../state/index.ts";
import { apiTransport, retryClock, Tunnel } from "../tunnel/index.ts";
import { AgentError } from "./agent-error.ts";
import { bridgeName } from "./bridge-name.ts";
import { findCgroupDriver } from "./cgroup-driver.ts";
import { readIdSpace } from "./id-space.ts";
import { stdoutLog } from "./log.ts";
import { DEFAULT_STATE_DIR, type Membership, readMembership, realDirectory, statePaths } from "./node-config.ts";
import { startPinning } from "./pinning.ts";
import { AGENT_VERSION, KUBELET_VERSION } from "./version.ts";

export interface RunOptions {
  stateDir: string;
  /** Undefined: the runtime is somebody else's to keep running. */
  containerdDir?: string;
  detach: boolean;
}

const LOG_CHECK_MS = 60_000;

/** `agent run`: the agent itself. Settles when it was told to stop; pods run on. */
export async function run(options: RunOptions): Promise<void> {
  const stateDir = realDirectory(options.stateDir);
  const membership = readMembership(stateDir);
  const paths = statePaths(stateDir);
  const alreadyRuns = (pid: number) => new AgentError(`an agent already runs on ${stateDir} (pid ${pid})`);
  if (options.detach) {
    const running = findDetached(paths.pidFile) ?? findDetached(paths.lock);
    if (running) throw alreadyRuns(running.pid);
    const [file, ...args] = agentCommand("run", "--state-dir", stateDir, ...containerdArgs(options));
    const { pid } = startDetached({
      pidFile: paths.pidFile,
      logFile: paths.logFile,
      env: agentEnvironment(stateDir),
      ...supervised(file, args),
    });
    console.log(`the agent runs (pid ${pid}); its log: ${paths.logFile}`);
    return;
  }
  // Two agents on one state would each undo what the other does. Given back by our end, whatever ends us.
  const log = stdoutLog();
  const holder = lockUnlessFull(paths.lock, log);
  if (holder) throw alreadyRuns(holder.pid);
  await serve(stateDir, membership, options.containerdDir, log);
}

/** A full disk is no reason to leave the pods alone: they may be what has to be stopped to make room. */
function lockUnlessFull(path: string, log: Log): ReturnType<typeof takeLock> {
  try {
    return takeLock(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    log("warn", "the disk is full: the agent runs without its lock", { path });
    return undefined;
  }
}

const containerdArgs = ({ containerdDir }: RunOptions) =>
  containerdDir === undefined ? [] : ["--containerd-dir", realDirectory(containerdDir)];

async function serve(
  stateDir: string,
  { config, credential, clusterCa }: Membership,
  containerdDir: string | undefined,
  log: Log,
): Promise<void> {
  const paths = statePaths(stateDir);
  const configuration = await readKubeletConfiguration(paths.kubeletConfig, {
    clusterDns: dnsClusterIp(config),
  }).catch((cause: Error) => {
    throw new AgentError(cause.message);
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stopping.abort());
  // A promise that somebody forgot is a bug to be read about, not a reason to let go of every pod.
  process.on("unhandledRejection", (reason) => {
    log("error", "unhandled rejection", { error: reason instanceof Error ? reason.stack : String(reason) });
  });

  if (containerdDir !== undefined) {
    const options = containerdIn(realDirectory(containerdDir));
    await ensureContainerd(options).catch((cause: Error) => {
      throw new AgentError(cause.message);
    });
    void keepContainerdRunning(options, signal, (cause) =>
      cause
        ? log("error", "containerd cannot be started", { error: cause.message })
        : log("warn", "containerd had ended; it was started again"),
    );
  }
  const housekeeping = setInterval(() => rotateLogs(ownLogs(containerdDir)), LOG_CHECK_MS);
  const runtime = connectRuntime({ socketPath: config.runtimeEndpoint.replace(/^unix:\/\//, "") });
  const cri = withFirstFamily(runtime, primaryFamily(config));
  await rememberAnnounced(config.instance);
  /** Of the pod network there is nothing to be known before it is started. */
  let podCidrs = (): string[] => [];
  let hostIps: string[] = [];
  const addresses = () => {
    hostIps = readAddresses({ nodeIps: config.nodeIps, podCidrs: podCidrs(), primaryFamily: primaryFamily(config) });
    return hostIps;
  };
  const node = await nodeFacts(stateDir, { config, configuration, cri, hostIps: () => hostIps });
  const staticPodPath = configuration.staticPodPath || paths.manifests;
  await mkdir(staticPodPath, { recursive: true, mode: 0o700 });
  let kubelet: Kubelet | undefined;
  const tunnel = new Tunnel({
    endpoint: config.endpoint,
    credential,
    ca: clusterCa,
    agentVersion: AGENT_VERSION,
    onStream: (stream) => void (stream.meta.kind === "dial" ? serveDial(stream) : serveKubeletApi(nodeState, stream)),
    log: (message) => {
      log("info", message);
      writeConnection(stateDir, tunnel, log);
    },
  });
  const nodeState = {
    nodeName: config.nodeName,
    pods: () => kubelet?.pods() ?? [],
    measure: async (pods: readonly Pod[]) => (await kubelet?.measure(pods)) ?? new Map<string, PodUsage>(),
    disk: stateDir,
    runtime: cri,
    cgroups: node.cgroups,
    configuration: { ...configuration, staticPodPath, cgroupDriver: node.cgroups.driver },
  };
  const transport = apiTransport(tunnel);
  const api = createApiClient(transport, { fieldManager: "kubelet" });
  const feed = createWatchFeed({ api, transport, log, clock: retryClock(tunnel) });
  tunnel.start();

  const state = await openState({
    stateDir,
    log: (message, error) => log("warn", message, { error: String(error) }),
  });
  const networkTransport = apiTransport(tunnel, { component: "network" });
  const networkApi = createApiClient(networkTransport, { fieldManager: "hearth-network" });
  let reportNode = () => {};
  const network = await startNetwork({
    instance: config.instance,
    nodeName: config.nodeName,
    cluster: config.cluster,
    clusterDomain: CLUSTER_DOMAIN,
    clusterCa,
    stateDir,
    bridgeName: bridgeName(config.instance),
    cniConfigDir: config.cniConfigDir,
    primaryFamily: primaryFamily(config),
    serviceProxy: config.serviceProxy,
    feed: createWatchFeed({ api: networkApi, transport: networkTransport, log, clock: retryClock(tunnel) }),
    api: networkApi,
    nodeApi: api,
    reportNode: () => reportNode(),
    state,
    tunnel,
    clock: systemClock,
    log,
    signal,
  });
  ({ podCidrs } = network);
  addresses();
  kubelet = await runKubelet({
    api,
    feed,
    cri,
    state,
    services: network.services,
    podNetwork: network.pods,
    stateDir,
    settings: { ...kubeletSettings(configuration), staticPodPath, userIds: await readIdSpace(configuration) },
    node,
    pinning: await startPinning({
      configuration,
      files: { cpus: paths.cpuAssignments, memory: paths.memoryAssignments },
      kept: keptBack(configuration, await readMachine(stateDir)),
      cri,
      log,
    }),
    logind: connectLogind(),
    onNodeChange: () => reportNode(),
    clock: systemClock,
    log,
  });
  flushCompileCache(); // also for an agent that is killed
  log("info", "the agent runs", { node: config.nodeName, cluster: config.cluster });
  await runRegistration({
    api,
    feed,
    cri,
    log,
    clock: systemClock,
    nodeName: config.nodeName,
    kubeletVersion: KUBELET_VERSION,
    disk: stateDir,
    reserved: (machine) => keptBack(configuration, machine),
    pressures: kubelet.pressures,
    relistedMs: kubelet.relistedMs,
    isShuttingDown: kubelet.isShuttingDown,
    onStart: (reportNow) => {
      reportNode = reportNow;
    },
    addresses,
    ownInterface: bridgeName(config.instance),
    onPodCidrs: network.setPodCidrs,
    signal,
  });
  log("info", "the agent stops; pods run on");
  clearInterval(housekeeping);
  await kubelet.stop();
  await network.stop();
  await tunnel.stop();
  cri.close();
  // Everything is put away; what is left are timers of back-offs, which would hold the process for seconds.
  process.exit(0);
}

/** What pods do not get of the machine. */
const keptBack = (configuration: KubeletConfiguration, machine: MachineFacts): Record<string, string>[] => [
  configuration.systemReserved,
  configuration.kubeReserved,
  evictionReserve(evictionThresholds(configuration), machine),
];

async function nodeFacts(
  stateDir: string,
  {
    config,
    configuration,
    cri,
    hostIps,
  }: {
    config: Membership["config"];
    configuration: KubeletConfiguration;
    cri: CriClient;
    hostIps(): string[];
  },
): Promise<NodeFacts> {
  const machine = await readMachine(stateDir);
  const driver = await findCgroupDriver(cri, statePaths(stateDir).cgroupDriver, configuration.cgroupDriver);
  // The only agent of a machine has the kubelet's own place.
  const defaultRoot = stateDir === DEFAULT_STATE_DIR ? "/" : `/hearth-${config.instance}`;
  return {
    instance: config.instance,
    nodeName: config.nodeName,
    get hostIps() {
      return hostIps();
    },
    memoryBytes: machine.memoryBytes,
    cpuMilli: machine.cpuMilli,
    dns: { serverIp: dnsClusterIp(config), domain: CLUSTER_DOMAIN },
    get hostDns() {
      return readHostDns();
    },
    hasAppArmor: hasAppArmor(),
    cgroups: decideCgroupSettings(configuration, machine, { driver, defaultRoot }),
    resizePolicies: {
      swapBehavior: configuration.memorySwap.swapBehavior === "LimitedSwap" ? "LimitedSwap" : "NoSwap",
      cpuManagerPolicy: configuration.cpuManagerPolicy,
      memoryManagerPolicy: configuration.memoryManagerPolicy,
    },
    podLogsRoot: POD_LOGS_ROOT,
  };
}

/** Without a kernel that has it the file is not there. */
function hasAppArmor(): boolean {
  try {
    return readFileSync("/sys/module/apparmor/parameters/enabled", "utf8").startsWith("Y");
  } catch {
    return false;
  }
}

/** For `agent status`, which is another process. Never throws: a full disk must not cost the connection. */
function writeConnection(stateDir: string, tunnel: Tunnel, log: Log): void {
  const connection = { isConnected: tunnel.isConnected, lastFailure: tunnel.lastFailure, sinceMs: Date.now() };
  try {
    writeFileSync(statePaths(stateDir).connection, JSON.stringify(connection), { mode: 0o600 });
  } catch (error) {
    log("warn", "the state of the connection cannot be written down", { error: String(error) });
  }
}

/** What we write to, if it is a file (systemd has its journal), and the log of a containerd of ours. */
function ownLogs(containerdDir: string | undefined): string[] {
  const ours = readlinkSync("/proc/self/fd/1");
  const files = containerdDir === undefined ? [] : [containerdIn(realDirectory(containerdDir)).logFile];
  return ours.startsWith("/") && !ours.startsWith("/dev/") ? [ours, ...files] : files;
}
