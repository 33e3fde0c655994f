/**
 * Something the person at the terminal can put right. The CLI prints the message and the hint, no stack, and exits 1.
 */
export class UserError extends Error {
  /** What to do next, as a sentence or a command. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UserError";
    this.hint = hint;
  }
}

/** A dimmed line on stderr that says what is going on; stdout stays for results. */
export function progress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\u001b[2m${text}\u001b[0m\n` : `${text}\n`);
}
