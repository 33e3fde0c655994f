/**
 * Run inside a network namespace: asks, and answers, there. Commands come as lines on standard input, and it ends with it:
 * a test that dies leaves nothing behind.
 */
import { createInterface } from "node:readline";
import { ask, askMany, askUntil } from "./ask.ts";
import { keep } from "./keep.ts";
import { listen } from "./listen.ts";
import type { Command } from "./protocol.ts";

const kept = new Map<string, () => Promise<unknown>>();

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case "ask":
      return (command.ask.count ?? 1) === 1 ? [await ask(command.ask)] : await askMany(command.ask);
    case "until":
      return await askUntil(command.ask, command.name);
    case "listen":
      await listen(command.listen);
      return null;
    case "keep":
      kept.set(command.keep.name, await keep(command.keep));
      return null;
    case "end":
      return await kept.get(command.what)!();
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, ...command } = JSON.parse(line) as Command & { id: number };
  obey(command).then(
    (result) => console.log(JSON.stringify({ id, result })),
    (error: unknown) => console.log(JSON.stringify({ id, error: String(error) })),
  );
});
lines.on("close", () => process.exit(0));
