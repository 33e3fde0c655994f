/** One line of a container's log file, in the CRI format: `<RFC 3339 nano> <stdout|stderr> <tags> <content>`. */
export interface LogLine {
  /** As it stands in the file. */
  timestamp: string;
  stream: "stdout" | "stderr";
  /** With the newline, unless the line is one part of a longer one. */
  content: Buffer;
}

const SPACE = 0x20;
const NEWLINE = 0x0a;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses a line, its newline included. Undefined: not a CRI line, to be skipped (upstream logs and skips it too).
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
export function parseCriLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(SPACE);
  const second = line.indexOf(SPACE, first + 1);
  const third = line.indexOf(SPACE, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const timestamp = line.toString("latin1", 0, first);
  const stream = line.toString("latin1", first + 1, second);
  if (!TIMESTAMP.test(timestamp) || (stream !== "stdout" && stream !== "stderr")) return undefined;
  const isPartial = line.toString("latin1", second + 1, third).split(":")[0] === "P";
  const end = isPartial && line[line.length - 1] === NEWLINE ? line.length - 1 : line.length;
  return { timestamp, stream, content: line.subarray(third + 1, end) };
}

/** Nanoseconds since the epoch: log times differ by less than a millisecond. */
export function nanosOf(timestamp: string): bigint {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? "";
  const seconds = Date.parse(timestamp.replace(/\.\d+/, "")) / 1000;
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9) || "0");
}

/** As `kubectl logs --timestamps` prints it: always nine digits. */
export function printTimestamp(timestamp: string): string {
  const match = /^(.*T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(.*)$/.exec(timestamp);
  return match ? `${match[1]}.${(match[2] ?? "").padEnd(9, "0")}${match[3]}` : timestamp;
}
