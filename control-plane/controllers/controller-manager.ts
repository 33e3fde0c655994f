import { DurableObject } from "cloudflare:workers";
import { inProcessClient } from "../client/in-process.ts";
import type { Env } from "../env.ts";
import { ControllerRunner, consoleLog, systemClock } from "../runtime/index.ts";
import type { ChangeBatch, ChangeSubscriber } from "../storage/interface.ts";
import { CACHING } from "./caching.ts";
import { controllersOf } from "./index.ts";

/** Where the object keeps the id of its cluster: an alarm does not bring it. */
const CLUSTER_KEY = "cluster";

/**
 * Runs a cluster's controllers. It is woken by change batches and by its alarm, holds nothing that it cannot list
 * again, and sleeps when there is nothing to do.
 */
export class ControllerManager extends DurableObject<Env> implements ChangeSubscriber {
  #runner: Promise<ControllerRunner> | undefined;

  async onChanges(batch: ChangeBatch): Promise<void> {
    const runner = await this.#running(batch.cluster);
    runner.take(batch);
    runner.start();
  }

  /** Begins work without a change to tell of: a new cluster, or a machine that was started again. */
  async wake(cluster: string): Promise<void> {
    (await this.#running(cluster)).start();
  }

  override async alarm(): Promise<void> {
    const cluster = this.ctx.storage.kv.get<string>(CLUSTER_KEY);
    if (cluster === undefined) return;
    await (await this.#running(cluster)).alarm();
  }

  #running(cluster: string): Promise<ControllerRunner> {
    this.#runner ??= this.#build(cluster).catch((error: unknown) => {
      this.#runner = undefined;
      throw error;
    });
    return this.#runner;
  }

  async #build(cluster: string): Promise<ControllerRunner> {
    const { storage } = this.ctx;
    if (storage.kv.get(CLUSTER_KEY) !== cluster) storage.kv.put(CLUSTER_KEY, cluster);
    const clientFor = (serviceAccount: string) =>
      inProcessClient(this.env, cluster, `system:serviceaccount:kube-system:${serviceAccount}`);
    return new ControllerRunner({
      controllers: controllersOf({
        caCertificatePem: async () => (await this.#identity(cluster)).caCertificatePem,
        issueCertificate: (request) => this.env.CLUSTERS.getByName(cluster).issueCertificate(request),
        signServiceAccountToken: (claims) => this.env.CLUSTERS.getByName(cluster).signServiceAccountToken(claims),
        advertised: async () => (await this.#identity(cluster)).advertised,
        network: async () => (await this.#identity(cluster)).network,
      }),
      clientFor,
      reader: clientFor("shared-informers"),
      caching: CACHING,
      clock: systemClock,
      log: consoleLog({ cluster }),
      alarms: storage,
      notes: {
        get: (key) => storage.kv.get(key),
        put: (key, value) => storage.kv.put(key, value),
        delete: (key) => void storage.kv.delete(key),
        list: (prefix) => storage.kv.list({ prefix }),
      },
      alarmAtMs: await storage.getAlarm(),
    });
  }

  async #identity(cluster: string) {
    const identity = await this.env.CLUSTERS.getByName(cluster).publicIdentity();
    if (!identity) throw new Error(`cluster ${cluster} has no identity`);
    return identity;
  }
}
