import type { Kubectl } from "./kubectl.ts";

/** A `kubectl get … --watch` that runs beside a test, and its lines with the times at which they came. */
export class Watched {
  readonly lines: { text: string; atMs: number }[] = [];
  readonly #child: ReturnType<Kubectl["start"]>;

  /** @param args without the `--watch`; of a jsonpath, lines must end with a newline */
  constructor(kubectl: Kubectl, ...args: string[]) {
    this.#child = kubectl.start(["get", ...args, "--watch"]);
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      const atMs = Date.now();
      this.lines.push(...lines.map((line) => ({ text: line, atMs })));
    });
  }

  get texts(): string[] {
    return this.lines.map(({ text }) => text);
  }

  stop(): void {
    this.#child.kill();
  }
}
