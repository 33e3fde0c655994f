/** Upstream's bounds, in code points: past the first, no text is longer than the second, and what comes later is left out. */
const MAX_TOTAL_LENGTH = 4 * 1024;
const MAX_TRUNCATED_LENGTH = 256;

/**
 * The warnings that an answer's headers have room for, each once: as they are, or, where they are too long together,
 * cut off and the first of them alone. Clients and the runtime refuse an answer with larger headers.
 * @see k8s.io/apiserver, endpoints/filters: the recorder of warnings
 */
export function fitWarnings(warnings: readonly string[]): string[] {
  const distinct = [...new Set(warnings)];
  let total = 0;
  const overflow = distinct.findIndex((text) => {
    total += lengthOf(text);
    return total > MAX_TOTAL_LENGTH;
  });
  if (overflow < 0) return distinct;
  const shown: string[] = [];
  let written = 0;
  for (const [i, text] of distinct.entries()) {
    // Those before were written already.
    if (i > overflow && written >= MAX_TOTAL_LENGTH) break;
    const cut = truncate(text);
    written += lengthOf(cut);
    shown.push(cut);
  }
  return shown;
}

/** In code points, of which each has two UTF-16 units at most; that of a very long text is not told. */
const lengthOf = (text: string): number => [...text.slice(0, 2 * MAX_TOTAL_LENGTH + 2)].length;

const truncate = (text: string): string =>
  [...text.slice(0, 2 * MAX_TRUNCATED_LENGTH)].slice(0, MAX_TRUNCATED_LENGTH).join("");
