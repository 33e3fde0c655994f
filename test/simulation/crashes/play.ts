import { vi } from "vitest";
import { CACHING } from "../../../control-plane/controllers/caching.ts";
import { CACHING as SCHEDULER_CACHING } from "../../../control-plane/scheduler/caching.ts";
import { podScheduling } from "../../../control-plane/scheduler/pod-scheduling.ts";
import { PODS } from "../../../shared/api/refs.ts";
import { EvictableRunner } from "../../builders/evictable-runner.ts";
import { everyController } from "../every-controller.ts";
import { SimApi } from "../sim-api.ts";
import { endState } from "./end-state.ts";
import { QuickKubelet } from "./quick-kubelet.ts";
import type { Story } from "./story.ts";
import { type Strike, WriteLog } from "./troubled-client.ts";

/** An object that dies with work in hand sleeps two minutes at most; then it may have to wait for its back-off. */
const REST_MS = 200_000;
const IDLE_MS = 600_000;

export interface Ending {
  state: string[];
  api: SimApi;
  log: WriteLog;
  /** Written after everything had come to rest. */
  idleWrites: number;
}

/** Lives a story through, with trouble at one of its writes or with none. To be called in virtual time. */
export async function play(story: Story, strike?: Strike): Promise<Ending> {
  const api = new SimApi();
  api.nowMs = () => Date.now();
  if (story.renewedMs) api.renewedMs = story.renewedMs;
  if (story.answer) api.answer = story.answer;
  const names = new Set([...story.of, ...(story.beside ?? [])]);
  const definitions = everyController().filter(({ name }) => names.has(name));
  const log = new WriteLog({ strike, kill: () => runner.kill(), countsEvents: story.tellsEvents });
  const isScheduler = names.has(podScheduling.name);
  const runner = new EvictableRunner({
    controllers: () => definitions.map((definition) => ({ ...definition, serviceAccount: definition.name })),
    caching: isScheduler ? SCHEDULER_CACHING : CACHING,
    clientFor: (who, isDead) => log.clientFor(api, who, isDead),
  });
  const kubelet = new QuickKubelet(api, !isScheduler);
  api.onBatch = (batch) => {
    runner.take(batch);
    if (batch.resource === PODS.resource) for (const { key } of batch.changes) kubelet.look(key);
  };
  runner.wake();
  for (const act of story.acts) {
    await act(api);
    await vi.advanceTimersByTimeAsync(story.restMs ?? REST_MS);
  }
  const before = log.count;
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  return {
    state: endState(api, { withEvents: story.isAboutEvents, vague: story.vague }),
    api,
    log,
    idleWrites: log.count - before,
  };
}
