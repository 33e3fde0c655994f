import { spawn } from "node:child_process";

/** Runs another entry file of ours in this command's place: its output, its signals, its exit code. */
export async function handOver(entry: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, [entry, ...args], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}
