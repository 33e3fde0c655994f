import { isDeepStrictEqual } from "node:util";
import type { Pod } from "../api/index.ts";
import { cgroupExists, makeCgroup, writeLimits } from "./cgroupfs.ts";
import { type CgroupLimits, podLimits, qosLimits } from "./limits.ts";
import { type CgroupName, cgroupPath, sliceUnit } from "./name.ts";
import { nodeCgroups, podCgroupName, podCgroupNames } from "./pod-name.ts";
import { removeCgroup } from "./remove.ts";
import type { CgroupSettings, Reserve } from "./settings.ts";
import { setSlice, startSlice, stopSlice } from "./systemd.ts";

/** The cgroups of this node's pods. With version 1 the runtime makes them, and they are only taken away here. */
export interface PodCgroups {
  /**
   * Makes those over all pods, and sets them by what the pods ask for. To be repeated when pods go, and now and then.
   * @param options.restores also those that need no change: somebody else may have changed them
   */
  update(options?: { restores: boolean }): Promise<void>;
  /**
   * Holds daemons of the machine to what is reserved for them; does nothing the second time.
   * @returns whether it has done it @throws Error without their cgroup
   */
  enforceReserve(reserve: Reserve): Promise<boolean>;
  /** Before the sandbox: makes the pod's own, unless it is there, and sets those above it anew. */
  ensure(pod: Pod): Promise<void>;
  /** Sets the pod's own anew: its resources have changed. @throws Error when its limit is below what it uses */
  resize(pod: Pod, limits?: CgroupLimits): Promise<void>;
  /** After the pod's last process. May be repeated. */
  remove(uid: string): Promise<void>;
}

export interface PodCgroupsDeps {
  settings: CgroupSettings;
  /** Those that have not ended. */
  activePods(): readonly Pod[];
  /** Whether a pod has CPUs of its own: then no quota holds it back. */
  hasExclusiveCpus(uid: string): boolean;
  mount?: string;
}

export function createPodCgroups({ settings, activePods, hasExclusiveCpus, mount }: PodCgroupsDeps): PodCgroups {
  const { driver, root, version } = settings;
  const names = nodeCgroups(root);
  /** What was last set, so that nothing is told to systemd twice. */
  const known = new Map<string, CgroupLimits>();
  /** To be set once more, whatever they were last set to. */
  const stale = new Set<string>();
  /** One update at a time, each by the pods of its own moment: an older one must not come last. */
  let updating = Promise.resolve();

  async function make(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const path = cgroupPath(name, driver);
    if (driver === "systemd") await startSlice(name, limits);
    await makeCgroup(path, mount);
    await writeLimits(path, limits, mount);
  }

  async function set(name: CgroupName, limits: CgroupLimits): Promise<void> {
    if (driver === "systemd") await setSlice(name, limits);
    await writeLimits(cgroupPath(name, driver), limits, mount);
  }

  async function enforceReserve({ name, limits }: Reserve): Promise<boolean> {
    if (version === 1 || known.has(sliceUnit(name))) return false;
    const path = cgroupPath(name, driver);
    if (!(await cgroupExists(path, mount)))
      throw new Error(`there is no cgroup ${path} to hold to what is reserved for it`);
    await set(name, limits);
    known.set(sliceUnit(name), limits);
    return true;
  }

  async function makeOrSet(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const key = sliceUnit(name);
    const exists = await cgroupExists(cgroupPath(name, driver), mount);
    if (exists && !stale.has(key) && isDeepStrictEqual(known.get(key), limits)) return;
    // systemd may know nothing of a directory that is there.
    if (!exists || (driver === "systemd" && !known.has(key))) await make(name, limits);
    if (exists) await set(name, limits);
    known.set(key, limits);
    stale.delete(key);
  }

  const limitsOf = (pod: Pod) =>
    podLimits(pod, hasExclusiveCpus(pod.metadata.uid) ? { ...settings, enforcesCpuLimits: false } : settings);

  async function updateAll(): Promise<void> {
    const limits = qosLimits(activePods(), settings);
    await makeOrSet(names.node, limits.node);
    await makeOrSet(names.burstable, limits.burstable);
    await makeOrSet(names.bestEffort, limits.bestEffort);
  }

  function update({ restores } = { restores: false }): Promise<void> {
    if (version === 1) return updating;
    const next = updating.then(() => {
      if (restores) for (const name of Object.values(names)) stale.add(sliceUnit(name));
      return updateAll();
    });
    updating = next.catch(() => undefined); // told to whoever asked for this one
    return next;
  }

  return {
    update,
    enforceReserve,
    async ensure(pod) {
      if (version === 1) return;
      await update();
      const name = podCgroupName(pod, root);
      if (!(await cgroupExists(cgroupPath(name, driver), mount))) await make(name, limitsOf(pod));
    },
    async resize(pod, limits = limitsOf(pod)) {
      if (version === 2) await set(podCgroupName(pod, root), limits);
    },
    async remove(uid) {
      for (const name of podCgroupNames(uid, root)) {
        const path = cgroupPath(name, driver);
        const isSlice = driver === "systemd" && version === 2 && (await cgroupExists(path, mount));
        if (isSlice) await stopSlice(name);
        await removeCgroup(path, mount);
      }
    },
  };
}
