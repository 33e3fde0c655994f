import type { ApiClient } from "../../shared/client/api-client.ts";
import type { PodCgroups } from "../cgroup/index.ts";
import type { Clock } from "../clock/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { Log } from "../log/index.ts";
import type { Pinning } from "../pinning/index.ts";
import type { Prober } from "../probes/index.ts";
import type { Resizes } from "../resize/index.ts";
import type { AgentState } from "../state/index.ts";
import type { UserNamespaces } from "../userns/index.ts";
import type { Allocatable, PodVolumes } from "../volumes/index.ts";
import type { Gate } from "./admission/index.ts";
import type { Backoff } from "./backoff.ts";
import type { EventRecorder } from "./events.ts";
import type { ImagePuller } from "./images/index.ts";
import type { Objects } from "./objects.ts";
import type { PodNetwork } from "./pod-network.ts";
import type { NodeFacts } from "./sandbox-config.ts";
import type { ServiceList } from "./service-list.ts";
import type { KubeletSettings } from "./settings.ts";
import type { StatusWriter } from "./status-writer.ts";

/** Everything that carrying out a plan needs of the outside; made once for all pods. */
export interface KubeletDeps {
  cri: CriClient;
  api: ApiClient;
  state: AgentState;
  clock: Clock;
  log: Log;
  settings: KubeletSettings;
  node: NodeFacts;
  events: EventRecorder;
  images: ImagePuller;
  volumes: PodVolumes;
  userns: UserNamespaces;
  objects: Objects;
  gate: Gate;
  cgroups: PodCgroups;
  pinning: Pinning;
  podNetwork: PodNetwork;
  resizes: Resizes;
  /** By `restartKey`. */
  restarts: Backoff;
  /** Of sandboxes that could not be made, by the pod's uid. */
  sandboxRetries: Backoff;
  /** Of volumes that cannot be brought up, by the pod's uid. */
  volumeRetries: Backoff;
  /** What the node has for pods. */
  allocatable(): Allocatable;
  statuses: StatusWriter;
  probes: Prober;
  /** The services whose addresses go into environments. */
  services: ServiceList;
}
