import { type Document, isCollection, parseDocument, type ScalarTag, type Tags, visit, YAMLParseError } from "yaml";
import { checkDepth } from "../../../shared/yaml-depth.ts";

/** A small text must not grow into a large object. */
const MAX_ALIASES = 100;

/**
 * The first document of a text, in YAML 1.1; null and undefined if there is none. Of a key that comes twice the last
 * counts, as upstream takes it; the parser's own check compares each key with all others, which takes minutes for a
 * text of many keys.
 * @throws YAMLParseError or another error of the parser, which `explainBadYaml` words
 */
export function parseYaml(text: string): unknown {
  checkDepth(text);
  const document = firstDocument(text);
  const [error] = document.errors;
  if (error) throw error;
  checkKeys(document);
  return document.toJS({ maxAliasCount: MAX_ALIASES });
}

/** A collection is no key. Our parser would print it as one, and what lies in its keys again: minutes for a short text. */
function checkKeys(document: Document): void {
  visit(document, {
    Pair(_, { key }) {
      if (isCollection(key)) throw new Error("invalid map key");
    },
  });
}

/**
 * With the errors that it has itself: as upstream's decoder, it ends at a document's marker or at the bracket that closes
 * it, and nothing behind that is looked at.
 */
function firstDocument(text: string): Document {
  const document = parseText(text);
  const end = document.errors.find(({ code }) => code === "MULTIPLE_DOCS")?.pos[0] ?? text.length;
  document.errors = document.errors.filter(({ code, pos }) => code !== "MULTIPLE_DOCS" && pos[0] <= end);
  const [error] = document.errors;
  if (error?.code !== "UNEXPECTED_TOKEN" || error.pos[0] === 0) return document;
  const before = parseText(text.slice(0, error.pos[0]));
  const isWhole = before.errors.length === 0 && isCollection(before.contents) && before.contents.flow === true;
  return isWhole ? before : document;
}

const parseText = (text: string): Document =>
  parseDocument(text, {
    logLevel: "error", // the parser would write its warnings, with the client's text, into our log
    version: "1.1",
    merge: true,
    uniqueKeys: false,
    customTags: withoutInfinities,
  });

/** `12e4567`, the hash of a commit say, is a text: a number of that form would be too large. */
const withoutInfinities = (tags: Tags): Tags =>
  tags.map((tag) =>
    typeof tag === "object" && "format" in tag && tag.format === "EXP" ? finite(tag as ScalarTag) : tag,
  );

const finite = (tag: ScalarTag): ScalarTag => ({
  ...tag,
  resolve(text, onError, options) {
    const value = tag.resolve(text, onError, options);
    return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? text : value;
  },
});

/** What go-yaml says of the mistakes that people make most; of others the parser speaks for itself. */
const PROBLEMS: Partial<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "mapping values are not allowed in this context",
  TAB_AS_INDENT: "found character that cannot start any token",
};

/** Nothing starts with a tab, whatever the parser makes of it. */
const problemOf = ({ code, linePos }: YAMLParseError, text: string): string | undefined =>
  text.split("\n")[(linePos?.[0].line ?? 1) - 1]?.startsWith("\t") ? PROBLEMS.TAB_AS_INDENT : PROBLEMS[code];

/** One line. */
export function explainBadYaml(error: unknown, text: string): string {
  if (!(error instanceof Error)) return String(error);
  const problem = error instanceof YAMLParseError ? problemOf(error, text) : undefined;
  if (!problem) return error.message.split("\n", 1)[0]!;
  const line = (error as YAMLParseError).linePos?.[0].line ?? 1;
  // go-yaml does not name the first line.
  return line > 1 ? `line ${line}: ${problem}` : problem;
}
