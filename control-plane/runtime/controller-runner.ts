import { printGroupResource } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { isConflict } from "../../shared/api/status.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import type { ChangeBatch } from "../storage/interface.ts";
import { backoffMs } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import type { Controller, ControllerDefinition, Notes } from "./controller.ts";
import { ApiEventRecorder } from "./event-recorder.ts";
import { Informer, type InformerOptions } from "./informer.ts";
import type { Log } from "./log.ts";
import { type AlarmStore, WakeUps } from "./wake-ups.ts";
import { WorkQueue } from "./work-queue.ts";

/** Between two tries to fill the caches, at least and at most (client-go's reflector: 30 s). Nothing is done meanwhile. */
const RESYNC_MIN_MS = 200;
const RESYNC_MAX_MS = 30_000;

export interface RunnerOptions {
  controllers: ControllerDefinition[];
  /** A client under the controller's own service account. */
  clientFor(serviceAccount: string): ApiClient;
  /** Lists for the caches. */
  reader: ApiClient;
  /** How to keep a resource in memory, by `pods`, `deployments.apps`. */
  caching: Record<string, InformerOptions<KubeObject>>;
  clock: Clock;
  log: Log;
  alarms: AlarmStore;
  /** By default kept in memory only. */
  notes?: Notes;
  alarmAtMs?: number | null;
}

/**
 * Runs controllers over shared caches: fills the caches, feeds them with change batches, turns events into keys and
 * works on them, and keeps one wake-up for all that is delayed. All it holds is rebuilt from lists after an eviction.
 */
export class ControllerRunner {
  readonly #options: RunnerOptions;
  readonly #informers = new Map<string, Informer>();
  readonly #controllers: Controller[] = [];
  readonly #queues: WorkQueue[] = [];
  readonly #wakeUps: WakeUps;
  readonly #notes: Notes;
  #syncFailures = 0;
  #retrySyncAtMs: number | undefined;
  #syncing = false;
  #isStarted = false;
  #planned = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#notes = options.notes ?? memoryNotes();
    this.#wakeUps = new WakeUps({
      clock: options.clock,
      alarms: options.alarms,
      onDue: () => this.#onDue(),
      alarmAtMs: options.alarmAtMs,
    });
    for (const definition of options.controllers) this.#add(definition);
  }

  /** Fills the caches if they are not; work begins when all of them are. */
  start(): void {
    this.#isStarted = true;
    if (this.#stale().length > 0) void this.#sync();
  }

  /** The shared cache of a resource, made on first demand. */
  informer<T extends KubeObject>(ref: ResourceRef): Informer<T> {
    const id = printGroupResource(ref);
    let informer = this.#informers.get(id);
    if (!informer) {
      informer = new Informer(ref, this.#options.caching[id]);
      this.#register(id, informer);
    }
    return informer as unknown as Informer<T>;
  }

  /** The cache there is, or one of metadata alone; made while running, it is listed at once. */
  #metadataInformer(ref: ResourceRef): Informer {
    const id = printGroupResource(ref);
    let informer = this.#informers.get(id);
    if (!informer) {
      informer = new Informer(ref, { trim: metadataOnly });
      this.#register(id, informer);
      if (this.#isStarted) this.start();
    }
    return informer;
  }

  /** Takes in a batch of a store's change feed; resources that no controller asked for are ignored. */
  take(batch: ChangeBatch): void {
    const informer = this.#informers.get(printGroupResource(batch));
    if (!informer) for (const controller of this.#controllers) controller.onUncached?.(batch);
    else if (!informer.apply(batch)) void this.#sync();
    this.#plan();
  }

  /** The object's alarm went off. */
  async alarm(): Promise<void> {
    this.#wakeUps.alarmFired();
    this.start();
    this.#plan();
    await undefined;
    await this.#wakeUps.settled();
  }

  /** Nothing is queued, in hand, or being listed (delayed keys do not count). */
  get isIdle(): boolean {
    return !this.#syncing && this.#queues.every((queue) => queue.isIdle);
  }

  #add({ name, serviceAccount, eventSource, build }: ControllerDefinition): void {
    const { clock } = this.#options;
    const api = this.#options.clientFor(serviceAccount);
    const log = withField(this.#options.log, "controller", name);
    const events = new ApiEventRecorder({ api, component: eventSource ?? serviceAccount, clock, log });
    const controller: Controller = build({
      api,
      events,
      clock,
      log,
      informer: (ref) => this.informer(ref),
      metadataInformer: (ref) => this.#metadataInformer(ref),
      notes: this.#notes,
    });
    const queue = new WorkQueue({
      clock,
      concurrency: controller.concurrency,
      backoff: controller.backoff,
      work: (key) => controller.reconcile(key),
      onChange: () => this.#plan(),
      onError: (key, error, failures) => {
        // A conflict only says that the cache was behind.
        if (isConflict(error)) log.info("reconcile again", { key, failures, reason: String(error) });
        else log.error("reconcile failed", { key, failures, error: describe(error) });
      },
    });
    this.#controllers.push(controller);
    this.#queues.push(queue);
    if (controller.onInformer) for (const informer of this.#informers.values()) controller.onInformer(informer);
    controller.start((key, afterMs) => (afterMs === undefined ? queue.add(key) : queue.addAfter(key, afterMs)));
  }

  /** Lists what is missing, all at once. Failures are tried again with back-off; the queues wait for the first success. */
  async #sync(): Promise<void> {
    const waitMs = (this.#retrySyncAtMs ?? 0) - this.#options.clock.nowMs();
    // More than any wait: the clock was set back meanwhile.
    if (this.#syncing || (waitMs > 0 && waitMs <= RESYNC_MAX_MS)) return;
    this.#syncing = true;
    this.#retrySyncAtMs = undefined;
    this.#plan();
    try {
      for (let stale = this.#stale(); stale.length > 0; stale = this.#stale()) {
        await Promise.all(stale.map((informer) => informer.sync(this.#options.reader)));
        this.#options.log.info("caches filled", { sizes: this.#sizes() });
      }
      this.#syncFailures = 0;
      for (const queue of this.#queues) queue.start();
    } catch (error) {
      this.#syncFailures += 1;
      this.#retrySyncAtMs = this.#options.clock.nowMs() + resyncDelayMs(this.#syncFailures);
      this.#options.log.error("caches not filled", { failures: this.#syncFailures, error: describe(error) });
    } finally {
      this.#syncing = false;
      this.#plan();
    }
  }

  #register(id: string, informer: Informer): void {
    this.#informers.set(id, informer);
    for (const controller of this.#controllers) controller.onInformer?.(informer);
  }

  #stale(): Informer[] {
    return [...this.#informers.values()].filter((informer) => informer.isStale);
  }

  #sizes(): Record<string, number> {
    return Object.fromEntries([...this.#informers].map(([id, informer]) => [id, informer.size]));
  }

  #onDue(): void {
    for (const queue of this.#queues) queue.releaseDue();
    if (this.#retrySyncAtMs !== undefined) void this.#sync();
    this.#plan();
  }

  /** Sets the wake-up once per turn, however many keys moved. */
  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    queueMicrotask(() => {
      this.#planned = false;
      this.#wakeUps.set(this.#nextDueMs(), !this.isIdle);
    });
  }

  #nextDueMs(): number | undefined {
    const times = [this.#retrySyncAtMs, ...this.#queues.map((queue) => queue.nextDueMs())].filter(
      (atMs) => atMs !== undefined,
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

export const resyncDelayMs = (failures: number): number =>
  Math.min(RESYNC_MAX_MS, Math.max(RESYNC_MIN_MS, backoffMs(failures)));

function withField(log: Log, name: string, value: unknown): Log {
  return {
    info: (message, fields) => log.info(message, { [name]: value, ...fields }),
    error: (message, fields) => log.error(message, { [name]: value, ...fields }),
  };
}

function memoryNotes(): Notes {
  const notes = new Map<string, unknown>();
  return {
    get: <T>(key: string) => notes.get(key) as T | undefined,
    put: (key, value) => void notes.set(key, value),
    delete: (key) => void notes.delete(key),
    list: <T>(prefix: string) => [...notes].filter(([key]) => key.startsWith(prefix)) as [string, T][],
  };
}

const metadataOnly = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({ apiVersion, kind, metadata });

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
