/** A failure that the person at the terminal can understand: printed as a sentence, exit code 1. */
export class AgentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AgentError";
  }
}
