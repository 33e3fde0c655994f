/** Asks and answers inside a network namespace of a test's lab: a node's, a pod's, or one outside of the cluster. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Answer, Ask, Command, Keep, Kept, Listen, Target } from "./protocol.ts";

export type { Answer, Ask, Keep, Kept, Target } from "./protocol.ts";

const PROCESS = join(import.meta.dirname, "process.ts");

export class Caller {
  readonly name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  /**
   * @param name what its servers call themselves
   * @param netns the file of its network namespace
   */
  constructor(name: string, netns: string) {
    this.name = name;
    this.#child = spawn("nsenter", [`--net=${netns}`, "--", process.execPath, PROCESS]);
    this.#child.stderr.pipe(process.stderr);
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: string };
      const waiting = this.#waiting.get(id)!;
      this.#waiting.delete(id);
      if (error === undefined) waiting.resolve(result);
      else waiting.reject(new Error(`${name}: ${error}`));
    });
    this.#child.once("exit", () => {
      for (const waiting of this.#waiting.values()) waiting.reject(new Error(`the caller ${name} ended`));
    });
  }

  /** What came first, or why nothing did (an errno's name, "timeout"). */
  async ask(target: Ask): Promise<string> {
    return (await this.asked(target))[0]!.text;
  }

  /** Each answer, with its time. */
  asked(ask: Ask): Promise<Answer[]> {
    return this.#send({ do: "ask", ask }) as Promise<Answer[]>;
  }

  /** The names that answered `count` questions, with how often; what failed stands by its error. */
  async tally(ask: Ask): Promise<Record<string, number>> {
    const tally: Record<string, number> = {};
    for (const { text } of await this.asked(ask)) {
      const name = text.split(" ")[0]!;
      tally[name] = (tally[name] ?? 0) + 1;
    }
    return tally;
  }

  /** Settles when `name` answers new questions. @returns the time from now, in ms: to two of them */
  until(ask: Ask, name: string): Promise<number> {
    return this.#send({ do: "until", ask, name }) as Promise<number>;
  }

  /** Answers with its name, and the address that asks, until it ends. */
  async listen(target: Target): Promise<void> {
    await this.#send({ do: "listen", listen: { ...target, name: this.name } satisfies Listen });
  }

  /** Goes on asking. @returns what ends it, and tells what was seen. @throws Error when it cannot begin */
  async keep(wanted: Omit<Keep, "name">): Promise<() => Promise<Kept>> {
    const name = String(this.#lastId + 1);
    await this.#send({ do: "keep", keep: { ...wanted, name } });
    return () => this.#send({ do: "end", what: name }) as Promise<Kept>;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }

  #send(command: Command): Promise<unknown> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    return waiting.promise;
  }
}
