import { targetNode } from "../../../control-plane/controllers/daemonset/pod.ts";
import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { NODES, PODS } from "../../../shared/api/refs.ts";
import { ignoreStale } from "../../../shared/api/status.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import type { SimApi } from "../sim-api.ts";

const TURN_MS = 50;
const RUN_MS = 2_000;

/** All kubelets, and the scheduler where none runs, of a cluster in which nothing goes wrong: each pod does at once what it should. */
export class QuickKubelet {
  readonly #api: SimApi;
  readonly #binds: boolean;
  readonly #looking = new Set<string>();

  constructor(api: SimApi, binds: boolean) {
    this.#api = api;
    this.#binds = binds;
  }

  look(key: string): void {
    if (this.#looking.has(key)) return;
    this.#looking.add(key);
    setTimeout(() => {
      this.#looking.delete(key);
      const pod = this.#api.find<Pod>(PODS, key);
      if (pod) void this.#play(pod).catch(ignoreStale);
    }, TURN_MS);
  }

  async #play(pod: Pod): Promise<void> {
    const { metadata, spec } = pod;
    if (!spec.nodeName) {
      const node = targetNode(pod) ?? this.#api.all<Node>(NODES)[0]?.metadata.name ?? "a";
      if (this.#binds && !metadata.deletionTimestamp && !spec.schedulingGates)
        await this.#api.patch(PODS, metadata, "merge", { spec: { nodeName: node } });
    } else if (metadata.deletionTimestamp) await this.#end(pod);
    else if ((pod.status?.phase ?? "Pending") === "Pending") await this.#start(pod);
  }

  async #start(pod: Pod): Promise<void> {
    const time = new Date().toISOString();
    const conditions = ["PodScheduled", "Ready", "ContainersReady"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: time,
    }));
    const status = {
      phase: "Running",
      podIP: "10.244.0.9",
      podIPs: [{ ip: "10.244.0.9" }],
      startTime: time,
      conditions,
    };
    await this.#api.patch(PODS, pod.metadata, "merge", { status });
    if (pod.spec.restartPolicy === "Never") setTimeout(() => void this.#finish(pod).catch(ignoreStale), RUN_MS);
  }

  /** A pod whose image is `fails` fails. */
  async #finish({ metadata, spec }: Pod): Promise<void> {
    const pod = this.#api.find<Pod>(PODS, `${metadata.namespace}/${metadata.name}`);
    if (!pod || pod.metadata.uid !== metadata.uid || isPodTerminal(pod)) return;
    const exitCode = spec.containers[0]?.image === "fails" ? 1 : 0;
    await this.#report(pod, exitCode === 0 ? "Succeeded" : "Failed", exitCode);
  }

  /** Who holds the pod by a finalizer takes it away by letting go. */
  async #end(pod: Pod): Promise<void> {
    if (!isPodTerminal(pod)) await this.#report(pod, "Failed", 143);
    if (!pod.metadata.finalizers?.length) await this.#api.delete(PODS, pod.metadata, { gracePeriodSeconds: 0 });
  }

  async #report(pod: Pod, phase: string, exitCode: number): Promise<void> {
    const time = new Date().toISOString();
    const terminated = { exitCode, startedAt: time, finishedAt: time };
    await this.#api.patch(PODS, pod.metadata, "merge", {
      status: {
        phase,
        conditions: [{ type: "Ready", status: "False", lastTransitionTime: time }],
        containerStatuses: [
          { name: "main", ready: false, restartCount: 0, image: "", imageID: "", state: { terminated } },
        ],
      },
    });
  }
}
