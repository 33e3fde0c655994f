import { messageOf } from "../../shared/message-of.ts";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import { findDrift } from "./drift.ts";
import type { PolicyEngine } from "./engine.ts";
import type { Listing } from "./nft.ts";
import { hookRules, renderChange, renderWhole, type TableOptions } from "./render.ts";
import { isEmptyChange } from "./ruleset.ts";

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const PROBED_HOOK = "egress";

/** The side that touches the kernel. */
export interface Nft {
  applyRuleset(text: string): Promise<void>;
  listTable(table: string): Promise<Listing | undefined>;
  countRules(table: string, chain: string): Promise<number | undefined>;
}

export interface TableKeeper {
  /** Settles when the kernel has what the engine has now. @throws Error if nft refuses; it is tried again by itself */
  sync(): Promise<void>;
  /** Settles when nothing is being written; nothing is any more once the signal is aborted. */
  idle(): Promise<void>;
  /** Writes the table anew with the next sync: its options have changed. */
  rewrite(): void;
  /**
   * Repairs what others changed.
   * @param extent "all" costs as much as there is; "hook" finds what takes a chain of a hook along: a table that was
   *   deleted, or flushed
   */
  check(extent: "hook" | "all"): Promise<void>;
}

/**
 * Keeps the kernel's table as the engine's: the first time whole, in the place of what an agent before this one left, then
 * by changes. One transaction at a time; what comes meanwhile is the next one.
 */
export function createTableKeeper({
  engine,
  options,
  nft,
  clock,
  log,
  signal,
}: {
  engine: PolicyEngine;
  options(): TableOptions;
  nft: Nft;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): TableKeeper {
  let needsWhole = true;
  let tail: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let failures = 0;

  /** After what is being done; never fails the next one. */
  function inTurn(action: () => Promise<void>): Promise<void> {
    const done = tail.then(action);
    tail = done.catch(() => {});
    return done;
  }

  async function apply(): Promise<void> {
    // The table may be another keeper's by now.
    if (signal.aborted) throw new Error("no longer kept");
    const change = engine.take();
    if (!needsWhole && isEmptyChange(change)) return;
    if (!needsWhole) {
      try {
        return await nft.applyRuleset(renderChange(change, options()));
      } catch (error) {
        // The table is not what we thought it was.
        log("warn", "a change of the network policies' table is refused; it is written anew", {
          error: messageOf(error),
        });
      }
    }
    needsWhole = true;
    try {
      await nft.applyRuleset(renderWhole(engine.ruleset, options()));
      needsWhole = false;
      failures = 0;
    } catch (error) {
      const retryMs = Math.min(RETRY_MS * 2 ** failures++, MAX_RETRY_MS);
      log("error", "the network policies cannot be put in place", { error: messageOf(error), retryMs });
      void clock.sleep(retryMs, signal).then(() => {
        if (!signal.aborted) sync().catch(() => {});
      });
      throw error;
    }
  }

  function sync(): Promise<void> {
    waiting ??= inTurn(() => {
      waiting = undefined;
      return apply();
    });
    return waiting;
  }

  return {
    sync,
    idle: () => tail,
    rewrite: () => {
      needsWhole = true;
    },
    check: (extent) =>
      inTurn(async () => {
        await apply();
        const { table } = options();
        if (extent === "hook" && (await nft.countRules(table, PROBED_HOOK)) === hookRules(options()).get(PROBED_HOOK))
          return;
        const found = await nft.listTable(table);
        // The kernel was asked about a moment that has passed.
        if (engine.isTouched) return;
        const drift = findDrift(found, engine.ruleset, options());
        if (!drift) return;
        log("warn", "the network policies' table was changed by somebody else; it is written anew", { drift });
        needsWhole = true;
        await apply();
      }),
  };
}
