const COMPRESSED = ".gz";
const UNFINISHED = ".tmp";

/** The file that runs now, and the one that is rotated away: they are there besides the older ones. */
const NEWEST_FILES = 2;

export interface RotationPlan {
  /** The oldest first: whoever reads them in order is not overtaken. */
  remove: string[];
  compress: string[];
  /** What the log that is written now is to be called. */
  rotated: string;
}

/**
 * What is to be done with the parts of a log before it is rotated once more: leftovers and what is too old go, and the
 * last part, which was left as it was for those who still read it, is compressed. The kubelet's names and numbers
 * (pkg/kubelet/logs).
 * @param log `0.log`
 * @param files names in its directory, those of other logs among them
 * @param options.maxFiles of one log in all, the one that is written among them
 */
export function decideRotation(
  log: string,
  files: readonly string[],
  { maxFiles, nowMs }: { maxFiles: number; nowMs: number },
): RotationPlan {
  const parts = partsOf(log, files);
  const [unused, inUse] = [parts.filter((part) => !isInUse(part, parts)), parts.filter((part) => isInUse(part, parts))];
  const tooMany = Math.max(0, inUse.length - Math.max(0, maxFiles - NEWEST_FILES));
  return {
    remove: [...unused, ...inUse.slice(0, tooMany)],
    compress: inUse.slice(tooMany).filter((part) => !part.endsWith(COMPRESSED)),
    rotated: `${log}.${timestamp(nowMs)}`,
  };
}

/** The rotated parts of a log among the names of its directory, the oldest first. */
export const partsOf = (log: string, files: readonly string[]): string[] =>
  files.filter((file) => file.startsWith(`${log}.`)).sort();

export const compressedName = (part: string): string => `${part}${COMPRESSED}`;
export const unfinishedName = (part: string): string => `${part}${UNFINISHED}`;

/** Neither cut off in the middle of a compression, nor compressed already. */
const isInUse = (part: string, parts: readonly string[]) =>
  !part.endsWith(UNFINISHED) && !parts.includes(compressedName(part));

/** `20260102-150405`, in UTC: so names are in the order of time on a day when clocks go back, too. */
const timestamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
