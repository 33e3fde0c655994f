/**
 * Where our texts are those of a newer release than the recorded server's, on purpose
 * (docs/decisions/texts-of-two-versions.md): what was recorded is compared as the newer release would say it.
 */
const NEWER_TEXTS: readonly (readonly [recorded: string, newer: string])[] = [
  ["no new claims to deallocate, preemption: ", "preemption: "],
];

/** A recorded scenario, as JSON text, in the newer release's words. */
export function inNewerWords(recorded: string): string {
  return NEWER_TEXTS.reduce((text, [old, newer]) => text.replaceAll(old, newer), recorded);
}
