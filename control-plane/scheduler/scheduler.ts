import { DurableObject } from "cloudflare:workers";
import { inProcessClient } from "../client/in-process.ts";
import type { Env } from "../env.ts";
import { ControllerRunner, consoleLog, systemClock } from "../runtime/index.ts";
import type { ChangeBatch, ChangeSubscriber } from "../storage/interface.ts";
import { CACHING } from "./caching.ts";
import { podScheduling } from "./pod-scheduling.ts";

/** The scheduler of one cluster. Woken by the change feed and by its alarm; holds nothing that a list does not give. */
export class Scheduler extends DurableObject<Env> implements ChangeSubscriber {
  #runner: ControllerRunner | undefined;

  async onChanges(batch: ChangeBatch): Promise<void> {
    (await this.#running()).take(batch);
  }

  override async alarm(): Promise<void> {
    await (await this.#running()).alarm();
  }

  async #running(): Promise<ControllerRunner> {
    if (this.#runner) return this.#runner;
    const alarmAtMs = await this.ctx.storage.getAlarm();
    if (this.#runner) return this.#runner;
    const cluster = this.ctx.id.name;
    if (!cluster) throw new Error("a scheduler is addressed by the name of its cluster");
    const client = inProcessClient(this.env, cluster, "system:kube-scheduler");
    this.#runner = new ControllerRunner({
      controllers: [podScheduling],
      clientFor: () => client,
      reader: client,
      caching: CACHING,
      clock: systemClock,
      log: consoleLog({ cluster, component: "scheduler" }),
      alarms: this.ctx.storage,
      alarmAtMs,
    });
    this.#runner.start();
    return this.#runner;
  }
}
