import { type CriClient, CriError } from "../cri/index.ts";
import { failure, type Outcome, success } from "./outcome.ts";

const MAX_OUTPUT_BYTES = 10 * 1024;

/** Good if the command ends with 0 in time. */
export async function probeExec(
  cri: Pick<CriClient, "execSync">,
  containerId: string,
  command: string[],
  timeoutSeconds: number,
): Promise<Outcome> {
  try {
    const { exitCode, stdout, stderr } = await cri.execSync(containerId, command, timeoutSeconds);
    const output = Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT_BYTES).toString("utf8");
    return exitCode === 0 ? success : failure(output);
  } catch (error) {
    if (error instanceof CriError && error.code === "DeadlineExceeded") {
      return failure(`command timed out: ${JSON.stringify(command.join(" "))} timed out after ${timeoutSeconds}s`);
    }
    throw error;
  }
}
