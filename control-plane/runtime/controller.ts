import type { KubeObject } from "../../shared/api/object.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import type { ChangeBatch } from "../storage/interface.ts";
import type { Backoff } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { Informer, InformerEvent } from "./informer.ts";
import type { Log } from "./log.ts";
import type { Requeue } from "./work-queue.ts";

/** What a controller is built from. Everything it does outside goes through these. */
export interface ControllerDeps {
  api: ApiClient;
  /** The shared cache of a resource. Asking for it makes the runner list it before any reconcile. */
  informer<T extends KubeObject>(ref: ResourceRef): Informer<T>;
  /** As `informer`, but of metadata alone if nobody else asked for the whole. May be asked for while running, too. */
  metadataInformer(ref: ResourceRef): Informer;
  notes: Notes;
  events: EventRecorder;
  clock: Clock;
  log: Log;
}

/** Small facts that outlive the object's memory; each write is billed. */
export interface Notes {
  get<T>(key: string): T | undefined;
  put<T>(key: string, value: T): void;
  delete(key: string): void;
  /** All whose key begins so. */
  list<T>(prefix: string): Iterable<[string, T]>;
}

/** Puts a key into the controller's queue, at once or after so many milliseconds. */
export type Enqueue = (key: string, afterMs?: number) => void;

/** One controller: what wakes it, and one step towards what is wanted. */
export interface Controller {
  /** Keys worked on at the same time. */
  concurrency: number;
  /** Of keys whose reconcile was rejected; by default client-go's. */
  backoff?: Backoff;
  /** Called once, before the caches are filled: connects informer events to keys. */
  start(enqueue: Enqueue): void;
  /** Each cache there is, whoever asked for it: called when the controller starts, or when the cache is made. */
  onInformer?(informer: Informer): void;
  /** Changes of resources of which there is no cache. */
  onUncached?(batch: ChangeBatch): void;
  /** Looks at the state of a key and takes a step. A rejection is retried with back-off. */
  reconcile(key: string): Promise<Requeue>;
}

/** One line of the list of controllers. */
export interface ControllerDefinition {
  /** In logs: `deployment`. */
  name: string;
  /** Its service account in kube-system: `deployment-controller`. */
  serviceAccount: string;
  /** The source of its events; by default the service account's name. */
  eventSource?: string;
  build(deps: ControllerDeps): Controller;
}

/** Connects a typed handler to an informer. */
export type EventHandler<T> = (event: InformerEvent<T>) => void;
