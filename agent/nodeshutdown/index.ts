/**
 * Graceful node shutdown (KEP-2000, KEP-2712): when the machine is about to go down systemd waits until the pods have
 * ended, those of low priority first. The plan is pure; `logind.ts` speaks to systemd. It ends no pod itself.
 */
export { connectLogind, type Logind } from "./logind.ts";
export { groupByPriority, type PriorityPeriod, shutdownPeriods } from "./plan.ts";
export { followShutdown, SHUTDOWN_MESSAGE, SHUTDOWN_REASON, type ShutdownSink } from "./shutdown.ts";
