import { Buffer } from "node:buffer";
import { type Container, expandVariables, type Pod } from "../api/index.ts";
import { containerResources } from "../cgroup/index.ts";
import type { ContainerConfig, LinuxResources, Mount, UserNamespace } from "../cri/index.ts";
import { hashContainer } from "./container-hash.ts";
import * as names from "./names.ts";
import type { NodeFacts } from "./sandbox-config.ts";
import { containerSecurityContext, type ImageUser } from "./security-context.ts";

export interface ContainerInputs {
  pod: Pod;
  container: Container;
  restartCount: number;
  /** As the runtime knows it. */
  imageRef: string;
  imageUser: ImageUser;
  /** For containers that name no seccomp profile: RuntimeDefault, not Unconfined. */
  seccompDefault: boolean;
  environment: ReadonlyMap<string, string>;
  mounts: Mount[];
  userNamespace: UserNamespace;
  /** From the CPU manager. */
  /** What is said besides the limits: the CPUs and the memory that it is bound to. */
  pinned: Pick<LinuxResources, "cpusetCpus" | "cpusetMems" | "cpuQuota">;
  node: NodeFacts;
}

/** @throws Error if the security context cannot be met */
export function renderContainerConfig(inputs: ContainerInputs): ContainerConfig {
  const { pod, container, restartCount, environment, node } = inputs;
  const expand = (text: string) => expandVariables(text, (name) => environment.get(name));
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: inputs.imageRef, userSpecifiedImage: container.image },
    command: (container.command ?? []).map(expand),
    args: (container.args ?? []).map(expand),
    workingDir: container.workingDir ?? "",
    envs: [...environment].map(([key, value]) => ({ key, value: Buffer.from(value) })),
    mounts: idmapped(inputs.mounts, inputs.userNamespace),
    labels: {
      [names.POD_NAME_LABEL]: pod.metadata.name,
      [names.POD_NAMESPACE_LABEL]: pod.metadata.namespace,
      [names.POD_UID_LABEL]: pod.metadata.uid,
      [names.CONTAINER_NAME_LABEL]: container.name,
    },
    annotations: containerAnnotations(pod, container, restartCount),
    logPath: names.containerLogPath(container, restartCount),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: {
      resources: { ...containerResources(pod, container, node.cgroups), ...inputs.pinned },
      securityContext: containerSecurityContext(pod, container, inputs),
    },
  };
}

/** What is mounted belongs to the same users within the pod as on the machine: the ids of its files are mapped back. */
function idmapped(mounts: Mount[], { uids, gids }: UserNamespace): Mount[] {
  return uids && gids ? mounts.map((mount) => ({ ...mount, uidMappings: uids, gidMappings: gids })) : mounts;
}

/** What is needed to stop the container, and to count its restarts, when the pod itself is no longer known. */
function containerAnnotations(pod: Pod, container: Container, restartCount: number): Record<string, string> {
  const preStop = container.lifecycle?.preStop;
  return {
    [names.HASH_ANNOTATION]: hashContainer(container),
    [names.RESTART_COUNT_ANNOTATION]: String(restartCount),
    [names.TERMINATION_PATH_ANNOTATION]: container.terminationMessagePath ?? "",
    [names.TERMINATION_POLICY_ANNOTATION]: container.terminationMessagePolicy ?? "",
    ...(pod.spec.terminationGracePeriodSeconds !== undefined && {
      [names.GRACE_PERIOD_ANNOTATION]: String(pod.spec.terminationGracePeriodSeconds),
    }),
    ...(preStop && { [names.PRE_STOP_ANNOTATION]: JSON.stringify(preStop) }),
    ...(container.ports?.length && { [names.PORTS_ANNOTATION]: JSON.stringify(container.ports) }),
  };
}
