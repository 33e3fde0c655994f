/** One type of an Accept header. */
export interface Clause {
  type: string;
  subtype: string;
  params: Record<string, string>;
  quality: number;
}

/** Longer headers are put in order by quality alone. */
const MAX_SORTED_CLAUSES = 12;

/**
 * An Accept header's types in the order in which upstream tries them. What cannot be read is left out; values keep
 * their quotes, and one that is no quality counts as 0, which excludes nothing.
 * @see github.com/munnerz/goautoneg, whose comparison is no order: its sort is repeated here step by step
 */
export function parseAccept(accept: string): Clause[] {
  const clauses = accept.split(",").flatMap(parseClause);
  if (clauses.length > MAX_SORTED_CLAUSES) return clauses.sort((a, b) => b.quality - a.quality);
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && comesBefore(clauses[j]!, clauses[j - 1]!); j--) {
      [clauses[j], clauses[j - 1]] = [clauses[j - 1]!, clauses[j]!];
    }
  }
  return clauses;
}

function comesBefore(a: Clause, b: Clause): boolean {
  if (a.quality > b.quality) return true;
  return (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}

function parseClause(text: string): Clause[] {
  const [name = "", ...pairs] = trim(text).split(";");
  const [type = "", subtype, ...more] = name.split("/").map(trim);
  if (more.length > 0 || (!subtype && type !== "*")) return [];
  const clause: Clause = { type, subtype: subtype || "*", params: {}, quality: 1 };
  for (const pair of pairs) {
    const [key = "", value, ...rest] = pair.split("=");
    if (!value || rest.length > 0) continue;
    if (trim(key) === "q") clause.quality = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value) ? Number(value) : 0;
    else clause.params[trim(key)] = trim(value);
  }
  return [clause];
}

/** Looks behind so that a long run of spaces within the text is walked once. */
const trim = (text: string) => text.replace(/^ +|(?<! ) +$/g, "");

/** The names alone, in the order sent: all that routing looks at. */
export const acceptedTypes = (accept: string): string[] =>
  accept.split(",").map((clause) => clause.split(";", 1)[0]!.trim());
