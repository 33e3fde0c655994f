import { type CST, Parser } from "yaml";

/**
 * go-yaml allows 10,000; our parser's stack ends at some 800, and what it does then for each level that is left takes
 * seconds for a text of 100 kB.
 */
const MAX_DEPTH = 500;
/** go-yaml's words; we end earlier. */
const TOO_DEEP = "exceeded max depth of 10000";

/**
 * Refuses collections too deep in one another. Takes time in proportion to the text.
 * @throws Error
 */
export function checkDepth(text: string): void {
  const open: { token: CST.Token; depth: number }[] = [];
  for (const token of new Parser().parse(text)) open.push({ token, depth: 0 });
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) throw new Error(TOO_DEEP);
    for (const part of partsOf(token)) open.push({ token: part, depth: depth + 1 });
  }
}

function* partsOf(token: CST.Token): Iterable<CST.Token> {
  if (token.type === "document" && token.value) yield token.value;
  if (!("items" in token)) return;
  for (const { key, value } of token.items as { key?: CST.Token | null; value?: CST.Token }[]) {
    if (key) yield key;
    if (value) yield value;
  }
}
