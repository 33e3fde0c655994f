import type { Deployment, DeploymentCondition, ReplicaSet } from "../../../shared/api/types.ts";
import { type ConditionText, newCondition, withCondition } from "./conditions.ts";
import { sizeOf, totalSize } from "./replica-sets.ts";
import { replicasAnnotations } from "./revision.ts";

/** One write to a ReplicaSet, and the events that tell of it. */
export type ReplicaSetWrite =
  | { op: "create"; replicaSet: ReplicaSet; messages: string[] }
  | { op: "update"; replicaSet: ReplicaSet; messages: string[] }
  | { op: "delete"; replicaSet: ReplicaSet };

/**
 * A deployment and its ReplicaSets while a step is being worked out: what the rules change here is later written in
 * one request per object. Objects handed in are not changed.
 */
export class Draft {
  readonly deployment: Deployment;
  readonly nowMs: number;
  /** Of the current template. */
  newRs: ReplicaSet | undefined;
  oldRss: ReplicaSet[];
  conditions: DeploymentCondition[];
  /** Annotation `deployment.kubernetes.io/revision`, when it must change. */
  revision: string | undefined;
  readonly #writes = new Map<string, ReplicaSetWrite>();

  constructor(deployment: Deployment, sets: { newRs: ReplicaSet | undefined; oldRss: ReplicaSet[] }, nowMs: number) {
    this.deployment = deployment;
    this.nowMs = nowMs;
    this.newRs = sets.newRs && copyOf(sets.newRs);
    this.oldRss = sets.oldRss.map(copyOf);
    this.conditions = deployment.status?.conditions ?? [];
  }

  get allRss(): ReplicaSet[] {
    return this.newRs ? [...this.oldRss, this.newRs] : this.oldRss;
  }

  get totalSize(): number {
    return totalSize(this.allRss);
  }

  get writes(): ReplicaSetWrite[] {
    return [...this.#writes.values()];
  }

  setCondition(condition: ConditionText): void {
    this.conditions = withCondition(this.conditions, newCondition(condition, this.nowMs));
  }

  /** The ReplicaSet is new: nothing of that name is known. */
  create(rs: ReplicaSet): void {
    this.newRs = rs;
    const messages = sizeOf(rs) > 0 ? [`Scaled up replica set ${rs.metadata.name} from 0 to ${sizeOf(rs)}`] : [];
    this.#writes.set(rs.metadata.name, { op: "create", replicaSet: rs, messages });
  }

  /** Metadata or minReadySeconds changed on the copy. */
  touched(rs: ReplicaSet): void {
    if (!this.#writes.has(rs.metadata.name))
      this.#writes.set(rs.metadata.name, { op: "update", replicaSet: rs, messages: [] });
  }

  /**
   * Sets the size; with it the annotations that proportional scaling starts from. `force` brings these up to date even
   * where the size is right already.
   * @returns whether the size changed
   */
  scale(rs: ReplicaSet, size: number, { force = false } = {}): boolean {
    const before = sizeOf(rs);
    if (before === size && !force) return false;
    const wanted = replicasAnnotations(this.deployment);
    const isAnnotated = Object.entries(wanted).every(([name, value]) => rs.metadata.annotations?.[name] === value);
    if (before === size && isAnnotated) return false;
    rs.spec.replicas = size;
    rs.metadata.annotations = { ...rs.metadata.annotations, ...wanted };
    this.touched(rs);
    const write = this.#writes.get(rs.metadata.name);
    if (before !== size && write && write.op !== "delete")
      write.messages.push(
        `Scaled ${before < size ? "up" : "down"} replica set ${rs.metadata.name} from ${before} to ${size}`,
      );
    return before !== size;
  }

  remove(rs: ReplicaSet): void {
    this.#writes.set(rs.metadata.name, { op: "delete", replicaSet: rs });
  }
}

const copyOf = (rs: ReplicaSet): ReplicaSet => ({
  ...rs,
  metadata: { ...rs.metadata, annotations: { ...rs.metadata.annotations } },
  spec: { ...rs.spec },
});
