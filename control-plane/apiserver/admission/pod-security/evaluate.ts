import * as baseline from "./baseline.ts";
import type { Check, PodLike, Violation } from "./check.ts";
import type { LevelVersion } from "./level.ts";
import * as restricted from "./restricted.ts";

interface VersionedCheck {
  id: string;
  level: "baseline" | "restricted";
  /** By the first minor version each applies to, ascending; before the first there is no such check. */
  versions: [sinceMinor: number, check: Check][];
  /** The baseline check that this one of the restricted level contains. */
  overrides?: string;
}

/** By level and id: in this order violations are named. */
const CHECKS: VersionedCheck[] = [
  { id: "appArmorProfile", level: "baseline", versions: [[0, baseline.appArmorProfile]] },
  { id: "capabilities_baseline", level: "baseline", versions: [[0, baseline.capabilities]] },
  { id: "hostNamespaces", level: "baseline", versions: [[0, baseline.hostNamespaces]] },
  { id: "hostPathVolumes", level: "baseline", versions: [[0, baseline.hostPathVolumes]] },
  { id: "hostPorts", level: "baseline", versions: [[0, baseline.hostPorts]] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", versions: [[34, baseline.hostProbes]] },
  { id: "privileged", level: "baseline", versions: [[0, baseline.privileged]] },
  {
    id: "procMount",
    level: "baseline",
    versions: [
      [0, baseline.procMount],
      [35, baseline.procMountOutsideUserNamespace],
    ],
  },
  {
    id: "seLinuxOptions",
    level: "baseline",
    versions: [
      [0, baseline.seLinuxOptions],
      [31, baseline.seLinuxOptionsWithEngine],
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    versions: [
      [0, baseline.seccompAnnotations],
      [19, baseline.seccompProfile],
    ],
  },
  {
    id: "sysctls",
    level: "baseline",
    versions: [0, 27, 29, 32].map((minor) => [minor, baseline.sysctlsOf(minor)]),
  },
  { id: "windowsHostProcess", level: "baseline", versions: [[0, baseline.windowsHostProcess]] },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: [
      [8, restricted.allowPrivilegeEscalation],
      [25, restricted.exceptOnWindows(restricted.allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    overrides: "capabilities_baseline",
    versions: [
      [22, restricted.capabilities],
      [25, restricted.exceptOnWindows(restricted.capabilities)],
    ],
  },
  { id: "procMount_restricted", level: "restricted", overrides: "procMount", versions: [[35, baseline.procMount]] },
  {
    id: "restrictedVolumes",
    level: "restricted",
    overrides: "hostPathVolumes",
    versions: [[0, restricted.volumeTypes]],
  },
  {
    id: "runAsNonRoot",
    level: "restricted",
    versions: [
      [0, restricted.runAsNonRoot],
      [35, restricted.outsideUserNamespaces(restricted.runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    versions: [
      [23, restricted.runAsUser],
      [35, restricted.outsideUserNamespaces(restricted.runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    overrides: "seccompProfile_baseline",
    versions: [
      [19, restricted.seccompProfileSet],
      [25, restricted.exceptOnWindows(restricted.seccompProfileSet)],
    ],
  },
];

const checkAsOf = ({ versions }: VersionedCheck, minor: number): Check | undefined =>
  versions.findLast(([since]) => since <= minor)?.[1];

/** What a level forbids about a pod, in upstream's order. Empty: the pod is allowed. */
export function evaluate(pod: PodLike, { level, minor }: LevelVersion): Violation[] {
  if (level === "privileged") return [];
  const active = CHECKS.filter((check) => check.level === "baseline" || level === "restricted").flatMap((versioned) => {
    const check = checkAsOf(versioned, minor);
    return check ? [{ id: versioned.id, overrides: versioned.overrides, check }] : [];
  });
  const overridden = new Set(active.map(({ overrides }) => overrides));
  return active.flatMap(({ id, check }) => {
    const violation = overridden.has(id) ? undefined : check(pod);
    return violation ? [violation] : [];
  });
}

/** `host namespaces (hostPID=true), privileged (…)` */
export const printViolations = (violations: Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
