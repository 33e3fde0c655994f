import { once } from "node:events";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { ask } from "./ask.ts";
import type { Keep, Kept } from "./protocol.ts";

/** @returns what ends it and tells what was seen */
export async function keep(wanted: Keep): Promise<() => Promise<Kept>> {
  const kept: Kept = { sent: 0, received: 0, errors: {}, from: {}, longestGapMs: 0 };
  let lastMs = performance.now();
  const came = () => {
    kept.longestGapMs = Math.max(kept.longestGapMs, performance.now() - lastMs);
    lastMs = performance.now();
    kept.received += 1;
  };
  const failed = (text: string) => {
    kept.errors[text] = (kept.errors[text] ?? 0) + 1;
  };
  const end = await (wanted.how === "stream" ? stream : knock)(wanted, kept, { came, failed });
  return async () => {
    await end();
    kept.longestGapMs = Math.max(kept.longestGapMs, performance.now() - lastMs);
    return kept;
  };
}

interface Sink {
  came(): void;
  failed(text: string): void;
}

async function stream({ address, port, intervalMs }: Keep, kept: Kept, { came, failed }: Sink) {
  const socket = connect({ host: address, port });
  let isEnding = false;
  const lines = createInterface({ input: socket });
  const [greeting] = (await Promise.race([
    once(lines, "line"),
    once(socket, "error").then(([error]) => Promise.reject(error)),
  ])) as [string];
  kept.from[greeting.split(" ")[0]!] = 1;
  socket.on("error", (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
  socket.on("close", () => {
    if (!isEnding) failed("closed");
  });
  lines.on("line", (line) => {
    if (Number(line) === kept.received) came();
    else failed(`out of order: ${line} in the place of ${kept.received}`);
  });
  const timer = setInterval(() => {
    if (socket.writable) socket.write(`${kept.sent++}\n`);
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    for (let waits = 0; kept.received < kept.sent && waits < 100 && !socket.destroyed; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 20)); // the last ones are on their way
    }
    isEnding = true;
    socket.destroy();
  };
}

async function knock(wanted: Keep, kept: Kept, { came, failed }: Sink) {
  const asked = new Set<Promise<void>>();
  const one = async () => {
    kept.sent += 1;
    const { text } = await ask(wanted);
    const [name, from] = text.split(" ");
    if (from === undefined) return failed(text);
    came();
    kept.from[name!] = (kept.from[name!] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    const asking = one().finally(() => asked.delete(asking));
    asked.add(asking);
  }, wanted.intervalMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(asked);
  };
}
