import type { Buffer } from "node:buffer";

const MAX_MESSAGE_BYTES = 4096;
const MAX_LOG_MESSAGE_BYTES = 2048;
/** Of the log's end, each line of which has a head of some forty bytes. */
const MAX_LOG_READ_BYTES = 64 * 1024;
const MAX_LOG_LINES = 80;

/**
 * What a container left in its terminationMessagePath; with FallbackToLogsOnError and nothing there, the end of its log.
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
export async function readTerminationMessage(
  { file, logFile, fallsBackToLogs }: { file: string | undefined; logFile: string; fallsBackToLogs: boolean },
  readTail: (path: string, maxBytes: number) => Promise<Buffer>,
): Promise<string> {
  if (file) {
    try {
      const content = await readTail(file, MAX_MESSAGE_BYTES);
      if (content.length > 0) return content.toString("utf8");
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") return `Error on reading termination log ${file}: ${message}`;
    }
  }
  if (!fallsBackToLogs) return "";
  try {
    return lastLogText((await readTail(logFile, MAX_LOG_READ_BYTES)).toString("utf8"));
  } catch (error) {
    return `Error on reading termination message from logs: ${(error as Error).message}`;
  }
}

/** The text of the last lines of a CRI log, whose lines begin `<time> <stream> <P|F> `. */
export function lastLogText(log: string): string {
  const lines = log.split("\n").filter(Boolean).slice(-MAX_LOG_LINES);
  const text = lines
    .map((line) => {
      const [, , flag, ...rest] = line.split(" ");
      return rest.join(" ") + (flag === "P" ? "" : "\n");
    })
    .join("");
  return text.slice(-MAX_LOG_MESSAGE_BYTES);
}
