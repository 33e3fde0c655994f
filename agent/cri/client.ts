import { fileURLToPath } from "node:url";
import { Client, credentials, loadPackageDefinition, type ServiceClientConstructor } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { isCriUnimplemented, toCriError } from "./errors.ts";
import type * as cri from "./types.ts";

const SECOND_MS = 1000;
/** Calls that only look, or change one record. The kubelet's runtimeRequestTimeout default is two minutes. */
const CALL_TIMEOUT_MS = 120 * SECOND_MS;
/** A sandbox waits for the network plugin. */
const SANDBOX_TIMEOUT_MS = 240 * SECOND_MS;
/** A slow line may need long for a large image; the runtime has its own progress timeout. */
const PULL_TIMEOUT_MS = 60 * 60 * SECOND_MS;
/** Time for the runtime to kill and reap, over the grace period or the command's own timeout. */
const STOP_MARGIN_MS = 30 * SECOND_MS;
/** Containers, images and statistics of a full node fit many times over. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Reconnect soon after the runtime's restart: gRPC's own default grows to two minutes. */
const MAX_RECONNECT_MS = 2 * SECOND_MS;

export interface SandboxFilter {
  id?: string;
  state?: cri.SandboxState;
  labelSelector?: Record<string, string>;
}

export interface ContainerFilter {
  id?: string;
  state?: cri.ContainerState;
  podSandboxId?: string;
  labelSelector?: Record<string, string>;
}

export interface ExecSyncResult {
  stdout: Buffer;
  stderr: Buffer;
  exitCode: number;
}

export interface ExecOptions {
  containerId: string;
  cmd: string[];
  tty: boolean;
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

/** A container runtime over CRI v1. Every call rejects with a CriError. */
export interface CriClient {
  version(): Promise<cri.RuntimeVersion>;
  status(verbose?: boolean): Promise<cri.RuntimeReport>;
  updateRuntimeConfig(podCidr: string): Promise<void>;
  /** How the runtime makes cgroups; undefined from runtimes that do not tell (containerd before 2.0). */
  cgroupDriver(): Promise<"cgroupfs" | "systemd" | undefined>;

  /** Creates the sandbox and its network. @returns its id */
  runPodSandbox(config: cri.SandboxConfig, runtimeHandler?: string): Promise<string>;
  /** Kills what runs in it and takes the network down. May be repeated. */
  stopPodSandbox(sandboxId: string): Promise<void>;
  removePodSandbox(sandboxId: string): Promise<void>;
  podSandboxStatus(
    sandboxId: string,
    verbose?: boolean,
  ): Promise<{ status: cri.SandboxStatus; info: Record<string, string> }>;
  listPodSandbox(filter?: SandboxFilter): Promise<cri.Sandbox[]>;

  createContainer(sandboxId: string, config: cri.ContainerConfig, sandboxConfig: cri.SandboxConfig): Promise<string>;
  startContainer(containerId: string): Promise<void>;
  /** Sends the stop signal, and SIGKILL after `timeoutSeconds`; settles when the container has ended. */
  stopContainer(containerId: string, timeoutSeconds: number): Promise<void>;
  removeContainer(containerId: string): Promise<void>;
  listContainers(filter?: ContainerFilter): Promise<cri.Container[]>;
  containerStatus(
    containerId: string,
    verbose?: boolean,
  ): Promise<{ status: cri.ContainerStatus; info: Record<string, string> }>;
  updateContainerResources(containerId: string, linux: cri.LinuxResources): Promise<void>;
  reopenContainerLog(containerId: string): Promise<void>;

  /** @param timeoutSeconds 0 means none: the call then has the general deadline */
  execSync(containerId: string, cmd: string[], timeoutSeconds: number): Promise<ExecSyncResult>;
  /** @returns the URL of the runtime's own streaming server (SPDY or WebSocket) */
  exec(options: ExecOptions): Promise<string>;
  attach(options: Omit<ExecOptions, "cmd">): Promise<string>;
  portForward(sandboxId: string, ports: number[]): Promise<string>;

  containerStats(containerId: string): Promise<cri.ContainerStats>;
  listContainerStats(filter?: Omit<ContainerFilter, "state">): Promise<cri.ContainerStats[]>;
  /** Ends when the signal is aborted; throws Unimplemented with runtimes older than containerd 1.7. */
  containerEvents(signal: AbortSignal): AsyncIterable<cri.ContainerEvent>;
  /**
   * The ids of containers and sandboxes whose first process has ended, from containerd's own event service, which is
   * behind CRI's socket too. CRI's status may tell a moment later. Ends when the signal is aborted; throws Unimplemented
   * with other runtimes.
   */
  taskExits(signal: AbortSignal): AsyncIterable<string>;

  listImages(): Promise<cri.Image[]>;
  /** Undefined when the image is not on the node. */
  imageStatus(image: string): Promise<cri.Image | undefined>;
  /** @returns the image's reference in the runtime */
  pullImage(image: string, options?: { auth?: cri.AuthConfig; sandboxConfig?: cri.SandboxConfig }): Promise<string>;
  removeImage(image: string): Promise<void>;
  imageFsInfo(): Promise<cri.FilesystemUsage[]>;

  close(): void;
}

interface Methods {
  [method: string]: {
    path: string;
    requestSerialize: (value: object) => Buffer;
    responseDeserialize: (bytes: Buffer) => object;
  };
}

/** What containerd's CRI side runs, and of that what has ended. */
const EXIT_FILTER = 'namespace=="k8s.io",topic=="/tasks/exit"';

let definitions: { runtime: Methods; image: Methods; containerdEvents: Methods } | undefined;

function services() {
  if (definitions) return definitions;
  const files = ["./api.proto", "./containerd-events.proto"].map((file) =>
    fileURLToPath(new URL(file, import.meta.url)),
  );
  const loaded = loadPackageDefinition(
    loadSync(files, {
      keepCase: false,
      longs: Number,
      enums: String,
      defaults: true,
      arrays: true,
      objects: true,
    }),
  ) as unknown as {
    runtime: { v1: Record<string, ServiceClientConstructor> };
    containerd: { services: { events: { v1: Record<string, ServiceClientConstructor> } } };
  };
  const v1 = loaded.runtime.v1;
  definitions = {
    runtime: v1["RuntimeService"]!.service as unknown as Methods,
    image: v1["ImageService"]!.service as unknown as Methods,
    containerdEvents: loaded.containerd.services.events.v1["Events"]!.service as unknown as Methods,
  };
  return definitions;
}

/**
 * A client of the runtime that listens on a unix socket. It connects when first used, and again after the runtime was
 * restarted; meanwhile calls fail with Unavailable.
 */
export function connectRuntime({ socketPath }: { socketPath: string }): CriClient {
  const channel = new Client(`unix://${socketPath}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
    "grpc.initial_reconnect_backoff_ms": 200,
    "grpc.max_reconnect_backoff_ms": MAX_RECONNECT_MS,
  });
  const { runtime, image, containerdEvents } = services();

  function call<Response>(service: Methods, method: string, request: object, timeoutMs = CALL_TIMEOUT_MS) {
    const { path, requestSerialize, responseDeserialize } = service[method]!;
    return new Promise<Response>((resolve, reject) => {
      channel.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        { deadline: Date.now() + timeoutMs },
        (error, response) => {
          if (error) reject(toCriError(method, error));
          else resolve(response as Response);
        },
      );
    });
  }

  async function* follow<Event>(
    service: Methods,
    method: string,
    { request, signal }: { request: object; signal: AbortSignal },
  ): AsyncGenerator<Event> {
    if (signal.aborted) return;
    const { path, requestSerialize, responseDeserialize } = service[method]!;
    const stream = channel.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    const stop = () => stream.cancel();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const event of stream) yield event as Event;
    } catch (error) {
      if (!signal.aborted) throw toCriError(method, error);
    } finally {
      signal.removeEventListener("abort", stop);
      stream.cancel();
    }
  }

  return {
    version: () => call(runtime, "Version", {}),
    async status(verbose = false) {
      type Status = { status: Pick<cri.RuntimeReport, "conditions"> | null };
      const { status, ...rest } = await call<Omit<cri.RuntimeReport, "conditions"> & Status>(runtime, "Status", {
        verbose,
      });
      return { ...rest, conditions: status?.conditions ?? [] };
    },
    async updateRuntimeConfig(podCidr) {
      await call(runtime, "UpdateRuntimeConfig", { runtimeConfig: { networkConfig: { podCidr } } });
    },
    async cgroupDriver() {
      const method = "RuntimeConfig";
      try {
        const { linux } = await call<{ linux: { cgroupDriver: "SYSTEMD" | "CGROUPFS" } | null }>(runtime, method, {});
        return linux ? (linux.cgroupDriver === "SYSTEMD" ? "systemd" : "cgroupfs") : undefined;
      } catch (error) {
        if (!isCriUnimplemented(error)) throw error;
        return undefined;
      }
    },

    async runPodSandbox(config, runtimeHandler = "") {
      const request = { config, runtimeHandler };
      return (await call<{ podSandboxId: string }>(runtime, "RunPodSandbox", request, SANDBOX_TIMEOUT_MS)).podSandboxId;
    },
    async stopPodSandbox(podSandboxId) {
      await call(runtime, "StopPodSandbox", { podSandboxId }, SANDBOX_TIMEOUT_MS);
    },
    async removePodSandbox(podSandboxId) {
      await call(runtime, "RemovePodSandbox", { podSandboxId }, SANDBOX_TIMEOUT_MS);
    },
    podSandboxStatus: (podSandboxId, verbose = false) => call(runtime, "PodSandboxStatus", { podSandboxId, verbose }),
    async listPodSandbox(filter) {
      const request = { filter: filter && { ...filter, state: stateFilter(filter.state) } };
      return (await call<{ items: cri.Sandbox[] }>(runtime, "ListPodSandbox", request)).items;
    },

    async createContainer(podSandboxId, config, sandboxConfig) {
      const request = { podSandboxId, config, sandboxConfig };
      return (await call<{ containerId: string }>(runtime, "CreateContainer", request)).containerId;
    },
    async startContainer(containerId) {
      await call(runtime, "StartContainer", { containerId });
    },
    async stopContainer(containerId, timeoutSeconds) {
      const timeoutMs = timeoutSeconds * SECOND_MS + STOP_MARGIN_MS;
      await call(runtime, "StopContainer", { containerId, timeout: timeoutSeconds }, timeoutMs);
    },
    async removeContainer(containerId) {
      await call(runtime, "RemoveContainer", { containerId });
    },
    async listContainers(filter) {
      const request = { filter: filter && { ...filter, state: stateFilter(filter.state) } };
      return (await call<{ containers: cri.Container[] }>(runtime, "ListContainers", request)).containers;
    },
    containerStatus: (containerId, verbose = false) => call(runtime, "ContainerStatus", { containerId, verbose }),
    async updateContainerResources(containerId, linux) {
      await call(runtime, "UpdateContainerResources", { containerId, linux });
    },
    async reopenContainerLog(containerId) {
      await call(runtime, "ReopenContainerLog", { containerId });
    },

    execSync(containerId, cmd, timeoutSeconds) {
      const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * SECOND_MS + STOP_MARGIN_MS : CALL_TIMEOUT_MS;
      return call(runtime, "ExecSync", { containerId, cmd, timeout: timeoutSeconds }, timeoutMs);
    },
    exec: async (options) => (await call<{ url: string }>(runtime, "Exec", options)).url,
    attach: async (options) => (await call<{ url: string }>(runtime, "Attach", options)).url,
    portForward: async (podSandboxId, port) =>
      (await call<{ url: string }>(runtime, "PortForward", { podSandboxId, port })).url,

    containerStats: async (containerId) =>
      (await call<{ stats: cri.ContainerStats }>(runtime, "ContainerStats", { containerId })).stats,
    listContainerStats: async (filter) =>
      (await call<{ stats: cri.ContainerStats[] }>(runtime, "ListContainerStats", { filter })).stats,
    containerEvents: (signal) => follow(runtime, "GetContainerEvents", { request: {}, signal }),
    async *taskExits(signal) {
      type Envelope = { event: { value: { containerId: string; id: string } | null } | null };
      const request = { filters: [EXIT_FILTER] };
      for await (const { event } of follow<Envelope>(containerdEvents, "Subscribe", { request, signal })) {
        const exit = event?.value;
        if (exit && exit.id === exit.containerId) yield exit.containerId;
      }
    },

    listImages: async () => (await call<{ images: cri.Image[] }>(image, "ListImages", {})).images,
    async imageStatus(name) {
      const response = await call<{ image: cri.Image | null }>(image, "ImageStatus", { image: { image: name } });
      return response.image ?? undefined;
    },
    async pullImage(name, { auth, sandboxConfig } = {}) {
      const request = { image: { image: name }, auth, sandboxConfig };
      return (await call<{ imageRef: string }>(image, "PullImage", request, PULL_TIMEOUT_MS)).imageRef;
    },
    async removeImage(name) {
      await call(image, "RemoveImage", { image: { image: name } });
    },
    imageFsInfo: async () =>
      (await call<{ imageFilesystems: cri.FilesystemUsage[] }>(image, "ImageFsInfo", {})).imageFilesystems,

    close: () => channel.close(),
  };
}

const stateFilter = (state: string | undefined) => (state === undefined ? undefined : { state });
