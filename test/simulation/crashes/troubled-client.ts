import type { KubeObject } from "../../../shared/api/object.ts";
import { EVENTS, EVENTS_V1 } from "../../../shared/api/refs.ts";
import { failure, ignoreStale } from "../../../shared/api/status.ts";
import type { ApiClient, ResourceRef } from "../../../shared/client/api-client.ts";

/** What happens at one of the writes. */
export const TROUBLES = [
  "dies before its answer",
  "dies before it",
  "never gets its answer",
  "is refused it",
  "loses a race",
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface Strike {
  /** Which write, counted from 0 over all lives. */
  at: number;
  trouble: Trouble;
}

/** The annotation of those who win a race. */
export const TOUCHED = "test/touched";

const WRITES = new Set(["create", "update", "patch", "delete", "deleteCollection", "submit"]);
/** Those that only ask. */
const REVIEW = /reviews$/;

const never = () => new Promise<never>(() => {});
const unavailable = () => failure(503, "ServiceUnavailable", "the line is bad");

/** Counts what was written, by whom, and strikes once. */
export class WriteLog {
  readonly by = new Map<string, number>();
  readonly #strike: Strike | undefined;
  readonly #kill: () => void;
  readonly #countsEvents: boolean;
  count = 0;
  hasStruck = false;

  /** @param options.countsEvents Events that are told count, too; else they do not: nothing depends on them */
  constructor(options: { strike?: Strike | undefined; kill: () => void; countsEvents?: boolean | undefined }) {
    this.#strike = options.strike;
    this.#kill = options.kill;
    this.#countsEvents = options.countsEvents ?? false;
  }

  /** A client of one controller in one life. */
  clientFor(api: ApiClient, who: string, isDead: () => boolean): ApiClient {
    return new Proxy(api, {
      get: (target, name) => {
        const method = target[name as keyof ApiClient] as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          if (isDead()) return never();
          const isCounted =
            WRITES.has(String(name)) && (this.#countsEvents || !isTold(String(name), args[0] as ResourceRef));
          const answer = isCounted
            ? await this.#write(
                who,
                () => method.apply(target, args),
                () => touch(api, String(name), args),
              )
            : await method.apply(target, args);
          return isDead() ? never() : answer;
        };
      },
    });
  }

  async #write(who: string, carryOut: () => Promise<unknown>, race: () => Promise<unknown>): Promise<unknown> {
    const trouble = this.#strike?.at === this.count && !this.hasStruck ? this.#strike.trouble : undefined;
    this.hasStruck ||= trouble !== undefined;
    if (trouble === "dies before it") {
      this.#kill();
      return never();
    }
    this.count += 1;
    this.by.set(who, (this.by.get(who) ?? 0) + 1);
    if (trouble === "is refused it") throw failure(500, "InternalError", "no");
    if (trouble === "loses a race") await race();
    const carriedOut = carryOut();
    if (trouble === "dies before its answer") this.#kill();
    const answer = await carriedOut;
    if (trouble === "never gets its answer") throw unavailable();
    return answer;
  }
}

/** Somebody else changes what is about to be written. */
async function touch(api: ApiClient, verb: string, [ref, target]: unknown[]): Promise<void> {
  if (verb !== "update" && verb !== "patch" && verb !== "delete") return;
  const { name, namespace } = verb === "update" ? (target as KubeObject).metadata : (target as KubeObject["metadata"]);
  const patch = { metadata: { annotations: { [TOUCHED]: "yes" } } };
  await api.patch(ref as ResourceRef, { name, ...(namespace && { namespace }) }, "merge", patch).catch(ignoreStale);
}

const TELLING = new Set(["create", "patch", "submit"]);
const isTold = (verb: string, { resource }: ResourceRef): boolean =>
  REVIEW.test(resource) || ((resource === EVENTS.resource || resource === EVENTS_V1.resource) && TELLING.has(verb));
