/**
 * What controllers and the scheduler run on: caches of resources kept current by the stores' change feed, a work queue
 * of keys with back-off, one alarm for all that is delayed, expectations, and a recorder of core/v1 Events. It holds no
 * rule of any kind, and everything in memory can be rebuilt by listing.
 */

export { NODES, PODS } from "../../shared/api/refs.ts";
export { LruMap } from "../../shared/lru-map.ts";
export { backoffMs } from "./backoff.ts";
export { type Clock, parseTime, printMicroTime, printTime, systemClock } from "./clock.ts";
export { conditionsPatch } from "./condition-patch.ts";
export type { Controller, ControllerDefinition, ControllerDeps, Enqueue, Notes } from "./controller.ts";
export { ControllerRunner, type RunnerOptions } from "./controller-runner.ts";
export { EventNames, EventQueue } from "./event-queue.ts";
export { ApiEventRecorder, type EventRecorder, referenceTo } from "./event-recorder.ts";
export { Expectations } from "./expectations.ts";
export { Informer, type InformerEvent, type InformerOptions } from "./informer.ts";
export { matchesLabels } from "./label-selector.ts";
export { consoleLog, type Log, silentLog } from "./log.ts";
export { OwnWrites } from "./own-writes.ts";
export { controllerOf, keyOf, newControllerRef, splitKey } from "./owner-ref.ts";
export { type AlarmStore, WakeUps } from "./wake-ups.ts";
export { done, type Requeue, requeueAfter, TerminalError, WorkQueue } from "./work-queue.ts";
export { yieldToIo } from "./yield-to-io.ts";
