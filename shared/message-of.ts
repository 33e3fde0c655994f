/** What a failure says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Several failures in one sentence, each once, as Go's `errors.Aggregate` prints them: in brackets if there are several. */
export function joinMessages(messages: string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(", ")}]`;
}
