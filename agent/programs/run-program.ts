import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_CHARACTERS = 256 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 4_000;

/**
 * Runs a program of the system to its end.
 * @param options.input what it reads; of an iterable no more is taken at a time than the program has read
 * @param options.timeoutMs 20 s unless given
 * @param options.maxOutput in characters: one that prints more is ended
 * @returns what it printed
 * @throws Error with the program's own words if it fails, or is not done in time
 */
export function runProgram(
  program: string,
  args: readonly string[],
  {
    input = "",
    timeoutMs = TIMEOUT_MS,
    maxOutput = MAX_OUTPUT_CHARACTERS,
  }: { input?: string | Iterable<string>; timeoutMs?: number; maxOutput?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "pipe", timeout: timeoutMs });
    const printed: string[] = [];
    let length = 0;
    let words = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      length += text.length;
      if (length <= maxOutput) printed.push(text);
      else child.kill("SIGKILL");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(0, MAX_ERROR_CHARACTERS);
    });
    child.once("error", reject);
    child.once("close", (code, killedBy) => {
      if (code === 0 && length <= maxOutput) resolve(printed.join(""));
      else if (length > maxOutput) reject(new Error(`${program} printed more than ${maxOutput} characters`));
      else reject(new Error(`${program}: ${words.trim() || `ended with ${code ?? killedBy}`}`));
    });
    child.stdin.on("error", () => {}); // it may end before it has read everything, and says why
    if (typeof input === "string") child.stdin.end(input);
    else feed(child, input, reject);
  });
}

/** What fails to tell the input ends the program before it has all of it. */
function feed(child: ChildProcessWithoutNullStreams, input: Iterable<string>, reject: (error: unknown) => void): void {
  const source = Readable.from(inChunks(input));
  source.once("error", (error) => {
    reject(error);
    child.kill("SIGKILL");
  });
  child.once("close", () => source.destroy());
  source.pipe(child.stdin);
}

const CHUNK_CHARACTERS = 64 * 1024;

function* inChunks(texts: Iterable<string>): Generator<string, void> {
  let chunk: string[] = [];
  let length = 0;
  for (const text of texts) {
    chunk.push(text);
    length += text.length;
    if (length < CHUNK_CHARACTERS) continue;
    yield chunk.join("");
    chunk = [];
    length = 0;
  }
  if (length > 0) yield chunk.join("");
}

/**
 * Hands on what a program prints for as long as it runs, line by line.
 * @returns settles when it has ended, by itself or with the signal. @throws Error if it cannot be started
 */
export function followProgram(
  program: string,
  args: readonly string[],
  { onLine, signal }: { onLine: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], signal });
    createInterface({ input: child.stdout }).on("line", onLine);
    child.once("error", (error) => (signal.aborted ? resolve() : reject(error)));
    child.once("close", () => resolve());
  });
}
