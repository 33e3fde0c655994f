import { messageOf } from "../../shared/message-of.ts";
import { nodeCgroupPath, type Reserve } from "../cgroup/index.ts";
import { openKernelLog, parseSystemOom } from "../eviction/index.ts";
import { noPinning } from "../pinning/index.ts";
import type { KubeletDeps } from "./deps.ts";
import { whyResolvConfTooLong } from "./dns-config.ts";
import { reconcileCpus } from "./reconcile-cpus.ts";

/** How often the cgroups over all pods are set anew, besides when pods come and go (RES-04). */
const CGROUPS_UPDATE_MS = 60_000;
/** The kubelet's cpuManagerReconcilePeriod. */
const CPUS_RECONCILE_MS = 10_000;
const KERNEL_LOG_MS = 10_000;

export type NodeEventSink = (type: "Normal" | "Warning", reason: string, message: string) => void;

/** What the node does for all pods together, each at its own pace, until the signal is aborted. */
export async function keepNode(deps: KubeletDeps, onNodeEvent: NodeEventSink, signal: AbortSignal): Promise<void> {
  const tooLong = whyResolvConfTooLong("/etc/resolv.conf", deps.node.hostDns);
  if (tooLong !== undefined) onNodeEvent("Warning", "CheckLimitsForResolvConf", tooLong);
  await Promise.all([
    keepCgroups(deps, onNodeEvent, signal),
    keepCpus(deps, signal),
    watchKernelLog(deps, onNodeEvent, signal),
  ]);
}

async function keepCgroups(
  { cgroups, clock, log, node }: KubeletDeps,
  onNodeEvent: NodeEventSink,
  signal: AbortSignal,
): Promise<void> {
  const told = new Map<string, string>();
  /** Once for each outcome in turn, as upstream does. */
  async function tell(what: string, enforce: () => Promise<unknown>, texts: EnforcementTexts): Promise<void> {
    let failure: string | undefined;
    try {
      await enforce();
    } catch (error) {
      failure = `${texts.failed}: ${messageOf(error)}`;
      log("warn", "cannot set cgroups", { what, error: messageOf(error) });
    }
    const message = failure ?? texts.done;
    if (node.cgroups.version === 1 || told.get(what) === message) return;
    told.set(what, message);
    if (failure === undefined) onNodeEvent("Normal", "NodeAllocatableEnforced", message);
    else onNodeEvent("Warning", "FailedNodeAllocatableEnforcement", message);
  }
  while (!signal.aborted) {
    const where = nodeCgroupPath(node.cgroups);
    await tell(where, () => cgroups.update({ restores: true }), {
      done: "Updated Node Allocatable limit across pods",
      failed: `Failed to update Node Allocatable Limits "${where}"`,
    });
    for (const reserve of node.cgroups.reserved) {
      await tell(reserve.cgroup, () => cgroups.enforceReserve(reserve), reserveTexts(reserve));
    }
    await clock.sleep(CGROUPS_UPDATE_MS, signal);
  }
}

interface EnforcementTexts {
  done: string;
  /** The cause follows. */
  failed: string;
}

function reserveTexts({ of, onlyCpu, cgroup }: Reserve): EnforcementTexts {
  const whose = of === "system" ? "System" : "Kube";
  const kind = onlyCpu ? "Reserved Compressible" : "Reserved";
  return {
    done: `Updated limits on ${of} reserved cgroup ${cgroup}`,
    failed: `Failed to enforce ${whose} ${kind} Cgroup Limits on "${cgroup}"`,
  };
}

async function keepCpus({ cri, pinning, clock, log, node }: KubeletDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && pinning !== noPinning) {
    await reconcileCpus(cri, pinning, node.instance).catch((error: unknown) => {
      log("debug", "cannot see which containers run", { error: messageOf(error) });
    });
    await clock.sleep(CPUS_RECONCILE_MS, signal);
  }
}

/** Tells when the kernel had to end a process for the whole machine's sake (EVI-16). */
async function watchKernelLog({ clock }: KubeletDeps, onNodeEvent: NodeEventSink, signal: AbortSignal): Promise<void> {
  const kernel = openKernelLog();
  if (!kernel) return;
  while (!signal.aborted) {
    for (const { process, pid } of kernel.read().flatMap((line) => parseSystemOom(line) ?? [])) {
      onNodeEvent("Warning", "SystemOOM", `System OOM encountered, victim process: ${process}, pid: ${pid}`);
    }
    await clock.sleep(KERNEL_LOG_MS, signal);
  }
  kernel.close();
}
