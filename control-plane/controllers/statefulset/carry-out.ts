import { PERSISTENT_VOLUME_CLAIMS, PODS } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/api/types.ts";
import { joinMessages, messageOf } from "../../../shared/message-of.ts";
import { keyOf } from "../../runtime/index.ts";
import { slowStart } from "../slow-start.ts";
import type { ClaimPlan } from "./claims.ts";
import type { Plan, Step } from "./decide.ts";
import type { StatefulSetDeps } from "./deps.ts";
import { hasIdentity, hasStorage, setIdentity, setStorage } from "./pod.ts";
import { type SetEvents, setEvents } from "./set-events.ts";

export interface Outcome {
  /** Pods that were created or deleted. */
  changed: number;
  /** Those of them that were deleted to be replaced. */
  replaced: number;
  /** What stopped it. */
  error?: unknown;
}

/** Does what the plan says, up to the first failure. */
export async function carryOut(set: StatefulSet, plan: Plan, deps: StatefulSetDeps): Promise<Outcome> {
  const work = new SetWork(set, deps);
  const outcome: Outcome = { changed: 0, replaced: 0 };
  work.expectDeletions(plan);
  try {
    for (const steps of plan.stages) await work.runAll(steps, plan.isOrdered, outcome);
    for (const pod of plan.updates) {
      await work.run({ op: "delete", pod });
      outcome.replaced += 1;
    }
  } catch (error) {
    outcome.error = error;
  }
  outcome.changed += outcome.replaced;
  work.giveUpRest();
  return outcome;
}

class SetWork {
  readonly #set: StatefulSet;
  readonly #deps: StatefulSetDeps;
  readonly #events: SetEvents;
  readonly #key: string;
  /** Keys of pods that are to be deleted and were not yet. */
  readonly #toDelete = new Set<string>();

  constructor(set: StatefulSet, deps: StatefulSetDeps) {
    this.#set = set;
    this.#deps = deps;
    this.#events = setEvents(set, deps.events);
    this.#key = keyOf(set);
  }

  /** Until they are seen the set is left alone: the cache would have the same pods deleted again. */
  expectDeletions({ stages, updates }: Plan): void {
    const deleted = stages.flat().flatMap((step) => (step.op === "delete" ? [step.pod] : []));
    for (const pod of [...deleted, ...updates]) this.#toDelete.add(keyOf(pod));
    if (this.#toDelete.size > 0) this.#deps.expectations.expect(this.#key, { deletions: [...this.#toDelete] });
  }

  giveUpRest(): void {
    for (const pod of this.#toDelete) this.#deps.expectations.deletionObserved(this.#key, pod);
  }

  async runAll(steps: Step[], isOrdered: boolean, outcome: Outcome): Promise<void> {
    const rest = steps.values();
    const next = async () => {
      const { value: step } = rest.next();
      if (!step) return;
      await this.run(step);
      if (step.op === "create" || step.op === "delete") outcome.changed += 1;
    };
    if (isOrdered) {
      for (const _step of steps) await next();
      return;
    }
    const { error } = await slowStart(steps.length, next);
    if (error !== undefined) throw error;
  }

  async run(step: Step): Promise<void> {
    switch (step.op) {
      case "create":
        return this.#create(step.pod, step.claims);
      case "delete":
        return this.#delete(step.pod);
      case "claims":
        await this.#createClaims(step.pod, step.claims);
        return this.#reownFor(step.pod, step.claims);
      case "reown":
        return this.#reown(step.claims);
      case "repair":
        return this.#repair(step.pod, step.claims);
    }
  }

  async #create(pod: Pod, claims: ClaimPlan): Promise<void> {
    const { name } = pod.metadata;
    let failure: unknown;
    try {
      await this.#createClaims(pod, claims);
      const created = await this.#deps.api.create<Pod>(PODS, pod);
      this.#deps.ownWrites.wrote(this.#key, this.#deps.pods, created);
    } catch (error) {
      failure = error;
    }
    this.#events.pod("Create", name, failure);
    if (failure !== undefined) throw failure;
    await this.#reownFor(pod, claims);
  }

  async #delete(pod: Pod): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    try {
      await this.#deps.api.delete(PODS, { name, namespace }, { uid });
    } catch (error) {
      if (!isNotFound(error)) {
        this.#events.pod("Delete", name, error);
        throw error;
      }
    }
    this.#toDelete.delete(keyOf(pod));
    this.#events.pod("Delete", name);
  }

  /** @throws when one cannot be made, or one that is there is being deleted; the others are made all the same */
  async #createClaims(pod: Pod, { create, leaving }: ClaimPlan): Promise<void> {
    const failures = leaving.map((name): unknown => new Error(`pvc ${name} is being deleted`));
    for (const claim of create) {
      const { name } = claim.metadata;
      let failure: unknown;
      try {
        const created = await this.#deps.api.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, claim);
        this.#deps.ownWrites.wrote(this.#key, this.#deps.claims, created);
      } catch (error) {
        failure = error;
        const message = `failed to create PVC ${name}: ${messageOf(error)}`;
        failures.push(isAlreadyExists(error) ? error : new Error(message, { cause: error }));
      }
      this.#events.claimCreated(name, pod.metadata.name, failure);
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new Error(joinMessages(failures.map(messageOf)));
  }

  async #reownFor(pod: Pod, claims: ClaimPlan): Promise<void> {
    try {
      await this.#reown(claims);
    } catch (error) {
      this.#events.pod("Update", pod.metadata.name, error);
      throw error;
    }
  }

  async #reown({ reown, conflicting }: ClaimPlan): Promise<void> {
    for (const name of conflicting) this.#events.conflictingController(name);
    for (const { claim, ownerReferences } of reown) {
      const { name, namespace, uid, resourceVersion } = claim.metadata;
      try {
        const patch = { metadata: { uid, resourceVersion, ownerReferences } };
        const target = { name, namespace };
        const written = await this.#deps.api.patch<PersistentVolumeClaim>(
          PERSISTENT_VOLUME_CLAIMS,
          target,
          "merge",
          patch,
        );
        this.#deps.ownWrites.wrote(this.#key, this.#deps.claims, written);
      } catch (error) {
        if (isConflict(error)) throw error;
        const message = `could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`;
        throw new Error(message, { cause: error });
      }
    }
  }

  /** The cache holds only a part of a pod: it is read whole before it is written. */
  async #repair(pod: Pod, claims: ClaimPlan): Promise<void> {
    const { name, namespace } = pod.metadata;
    let failure: unknown;
    try {
      if (!hasStorage(this.#set, pod)) await this.#createClaims(pod, claims);
      await this.#reown(claims);
      if (!hasIdentity(this.#set, pod) || !hasStorage(this.#set, pod)) {
        const whole = await this.#deps.api.get<Pod>(PODS, name, namespace);
        if (!hasIdentity(this.#set, whole)) setIdentity(this.#set, whole);
        if (!hasStorage(this.#set, whole)) setStorage(this.#set, whole);
        this.#deps.ownWrites.wrote(this.#key, this.#deps.pods, await this.#deps.api.update<Pod>(PODS, whole));
      }
    } catch (error) {
      if (isConflict(error)) throw error;
      failure = error;
    }
    this.#events.pod("Update", name, failure);
    if (failure !== undefined) throw failure;
  }
}
