import { watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createWake } from "../clock/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { watchKernel } from "./monitor.ts";
import { PodNetwork } from "./pod-network.ts";
import { recordTables } from "./tables-before.ts";
import { KEY_FILE, wireGuardDir } from "./wireguard/index.ts";

/** Nothing may have told of a change: how often the kernel is looked at all the same. */
const FULL_LOOK_MS = 5 * 60_000;
/** Changes come in swarms: a bridge that goes takes its routes with it. */
const LEAST_MS = 300;
const RETRY_MS = 5_000;

/** Keeps the pod network right until the context's signal is aborted; what is in the kernel then stays. */
export async function startPodNetwork(context: NetworkContext): Promise<{ stop(): Promise<void> }> {
  const { clock, log, signal, cniConfigDir } = context;
  await recordTables(context.stateDir).catch((error: unknown) => {
    log("warn", "the tables of the firewall cannot be listed", { error: String(error) });
  });
  let look: "none" | "changes" | "everything" = "everything";
  const wake = createWake();
  const request = (what: "changes" | "everything") => {
    if (look !== "everything") look = what;
    wake.notify();
  };
  const network = new PodNetwork(context, () => request("changes"));
  context.nodes.onChange(() => request("changes"));
  context.namespaces.onChange((keys) => keys.has("kube-system") && request("changes"));
  context.onPodCidrs(() => request("everything"));
  watchKernel({ clock, log, signal, onChange: () => request("everything") });
  signal.addEventListener(
    "abort",
    context.tunnel.onConnected(() => request("changes")),
  ); // it may come from another address now
  const keys = wireGuardDir(context.stateDir);
  await mkdir(keys, { recursive: true, mode: 0o700 });
  watch(keys, { signal, persistent: false }, (_, name) => name === KEY_FILE && request("everything")).on(
    "error",
    (error) => log("warn", "a change of WireGuard's key will be noticed later", { error: String(error) }),
  );
  await mkdir(cniConfigDir, { recursive: true, mode: 0o755 });
  watch(cniConfigDir, { signal, persistent: false }, () => request("everything")).on("error", (error) => {
    log("warn", "the directory of network plugins' configurations cannot be watched", { error: String(error) });
  });

  /** After a while without a change everything is looked at. */
  const rest = async (ms: number) => {
    if (!(await wake.wait(ms, clock, signal))) look = "everything";
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const what = look;
      look = "none";
      try {
        await network.reconcile({ isFull: what === "everything" });
        await clock.sleep(LEAST_MS, signal);
        await rest(FULL_LOOK_MS);
      } catch (error) {
        log("error", "the pod network could not be put right; it is tried again", { error: String(error) });
        look = "none";
        await clock.sleep(LEAST_MS, signal);
        await rest(RETRY_MS);
        look = "everything";
      }
    }
  };
  const running = loop();
  return { stop: () => running };
}
