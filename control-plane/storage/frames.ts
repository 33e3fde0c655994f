/** Whole lines are gathered up to about here into one frame. */
const FRAME_CHARS = 128 * 1024;

/** Gathers lines into frames of a good size, each of whole lines. */
export class Frames {
  readonly #frames: string[] = [];
  #current = "";
  chars = 0;

  add(line: string | null): void {
    if (line === null) return;
    if (this.#current.length + line.length > FRAME_CHARS) this.#cut();
    this.#current += line;
    this.chars += line.length;
  }

  finish(): string[] {
    this.#cut();
    return this.#frames;
  }

  #cut(): void {
    if (this.#current !== "") this.#frames.push(this.#current);
    this.#current = "";
  }
}
