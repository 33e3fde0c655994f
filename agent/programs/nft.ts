import { runProgram } from "./run-program.ts";

/** Whether what nft said is that there is no such table, chain or set; not that there is no nft. */
const SAYS_MISSING = /No such file or directory/;

/** @returns what `nft` with these arguments prints. @throws Error with what nft says */
export const runNft = (args: readonly string[], options?: Parameters<typeof runProgram>[2]): Promise<string> =>
  runProgram("nft", args, options);

/** As `runNft`; undefined if what is asked for is not there. */
export async function listIfThere(
  args: readonly string[],
  options?: Parameters<typeof runProgram>[2],
): Promise<string | undefined> {
  try {
    return await runNft(args, options);
  } catch (error) {
    if (SAYS_MISSING.test(String(error))) return undefined;
    throw error;
  }
}

/**
 * Carries out one transaction, whole or not at all.
 * @param timeoutMs 20 s unless given: a transaction of thousands of rules takes longer on a small machine
 * @throws Error with what nft says
 */
export async function applyRuleset(text: string | Iterable<string>, timeoutMs?: number): Promise<void> {
  await runNft(["-f", "-"], { input: text, ...(timeoutMs !== undefined && { timeoutMs }) });
}
