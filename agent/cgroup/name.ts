/** A cgroup by its names from the root on, whoever makes it: `["kubepods", "burstable", "pod<uid>"]`. */
export type CgroupName = readonly string[];

/** Who makes cgroups: we by directories of cgroupfs, or systemd as slices. The container runtime must use the same. */
export type CgroupDriver = "cgroupfs" | "systemd";

/** The cgroup's directory below the mount of cgroupfs, with its leading slash. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === "cgroupfs") return `/${name.join("/")}`;
  return `/${name.map((_, depth) => sliceUnit(name.slice(0, depth + 1))).join("/")}`;
}

/**
 * systemd's unit for a cgroup. A dash stands for a level of the tree in a slice's name, so those within a name become
 * underscores (RES-02).
 * @see systemd.slice(5)
 */
export const sliceUnit = (name: CgroupName): string =>
  name.length === 0 ? "-.slice" : `${name.map((part) => part.replaceAll("-", "_")).join("-")}.slice`;

/** From what an administrator writes: `/kubelet`, or with the systemd driver `/kubelet.slice`. */
export function parseCgroupName(text: string, driver: CgroupDriver): CgroupName {
  const parts = text.split("/").filter(Boolean);
  const last = parts.at(-1);
  if (driver === "cgroupfs" || last === undefined || !last.endsWith(".slice")) return parts;
  return last
    .slice(0, -".slice".length)
    .split("-")
    .filter(Boolean)
    .map((part) => part.replaceAll("_", "-"));
}
