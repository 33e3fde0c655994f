import { messageOf } from "../../shared/message-of.ts";
import { filterBridge } from "../cni/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { applyRuleset } from "../programs/index.ts";
import { type Enforcement, startEnforcement } from "./enforcement.ts";
import { countRules, deleteTable, listTable } from "./nft.ts";

/** How long a pod's start may wait for its policies, and for knowing whether there are any; then it is tried again. */
const GATE_TIMEOUT_MS = 10_000;

/**
 * Starts and ends the enforcement as the cluster gets its first policy and loses its last. What is in the kernel stays
 * when the agent stops, and is taken over by the next one.
 */
export async function startPolicies(context: NetworkContext): Promise<{ stop(): Promise<void> }> {
  const { networkPolicies, localPods, instance, clock, log, signal } = context;
  const table = `hearth-policy-${instance}`;
  let enforcement: Enforcement | undefined;
  /** Ending one and starting the next are not done at once: both write the same table. */
  let turn: Promise<void> = Promise.resolve();
  let isFirst = true;

  function follow(): void {
    if (!networkPolicies.isKnown()) return;
    const isWanted = networkPolicies.list().length > 0;
    if (isWanted && !enforcement) enforcement = startEnforcement(context, { table, nft, before: turn });
    else if (!isWanted && (enforcement || isFirst)) turn = end();
    isFirst = false;
  }

  async function end(): Promise<void> {
    const ending = enforcement;
    enforcement = undefined;
    const before = turn;
    await ending?.stop();
    await before;
    try {
      if (await listTable(table)) await deleteTable(table);
    } catch (error) {
      // Without nft there is no table either; a later policy tells of it.
      log("warn", "whether old network policies are in place cannot be seen", { error: messageOf(error) });
    }
  }

  networkPolicies.onChange((keys) => {
    follow();
    enforcement?.policiesChanged(keys);
  });
  context.namespaces.onChange((keys) => enforcement?.namespacesChanged(keys));
  localPods.onChange((key) => enforcement?.podsChanged([key]));
  context.onPodCidrs(() => enforcement?.nodeChanged());
  context.localEndpoints.onChange(() => enforcement?.nodeChanged());
  localPods.beforeStart(gate);
  follow();

  async function gate(key: string): Promise<void> {
    if (!networkPolicies.isKnown()) await Promise.race([networkPolicies.known, clock.sleep(GATE_TIMEOUT_MS, signal)]);
    const current = enforcement;
    if (!current) return;
    try {
      await within(GATE_TIMEOUT_MS, current.settled());
      await filterBridge(context.bridgeName);
    } catch (error) {
      if (enforcement !== current) return gate(key);
      if (!current.isSelected(key)) return;
      throw new Error(`its network policies are not in place: ${messageOf(error)}`, { cause: error });
    }
  }

  async function within(ms: number, work: Promise<void>): Promise<void> {
    const late = new AbortController();
    const timeout = clock.sleep(ms, late.signal).then(() => {
      if (!late.signal.aborted) throw new Error(`not within ${ms / 1_000} seconds`);
    });
    timeout.catch(() => {});
    await Promise.race([work, timeout]).finally(() => late.abort());
  }

  return {
    async stop() {
      await enforcement?.stop();
      await turn;
    },
  };
}

const nft = { applyRuleset, countRules, listTable };
