import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

/**
 * V8 would let its young generation grow to 48 MB and keep it. 8 MB a half cost no time that can be measured (first sync of
 * ten thousand Services), less of them does.
 */
export const NODE_FLAGS = ["--max-semi-space-size=8"];

/** The command that runs this agent: our Node.js, our entry file. */
export const agentCommand = (...args: string[]): [file: string, ...args: string[]] => [
  process.execPath,
  ...NODE_FLAGS,
  resolve(import.meta.dirname, "../cli/main.ts"),
  ...args,
];

/**
 * Node.js keeps the code that it made of our TypeScript there: the next start takes a fifth of the time and, without the
 * compiler, 35 MB less memory. Only root may write it, as all of the state directory.
 */
export const agentEnvironment = (stateDir: string): Record<string, string> => ({
  NODE_COMPILE_CACHE: join(stateDir, "compile-cache"),
});

/** Has the code made, so that the first start finds it. One that fails says nothing: the code is made then. */
export function compileAhead(stateDir: string): void {
  const [file, ...args] = agentCommand("--version");
  try {
    execFileSync(file, args, { stdio: "ignore", env: { ...process.env, ...agentEnvironment(stateDir) } });
  } catch {
    // The agent itself will say what is wrong with it.
  }
}
