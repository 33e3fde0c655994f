import { isMap, isScalar, LineCounter, type Node, parseDocument, visit, type YAMLMap } from "yaml";

/** A document of so many tells its writer nothing new. */
const MAX_DUPLICATES = 100;

/**
 * What upstream's strict decoder says of keys that a mapping sets more than once; undefined when there are none.
 * @param text YAML that has been read without an error
 */
export function explainDuplicateKeys(text: string): string | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { version: "1.1", merge: true, uniqueKeys: false, lineCounter: lines });
  const found: { offset: number; key: unknown }[] = [];
  visit(document, {
    Map: (_key, map) => {
      if (found.length < MAX_DUPLICATES) found.push(...repeatedIn(map));
    },
  });
  if (found.length === 0) return undefined;
  // Go's decoder tells of a value when it has read it, and names the line on which the value begins.
  const told = found
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, key }) => `  line ${lines.linePos(offset).line}: key ${JSON.stringify(key)} already set in map`);
  return ["yaml: unmarshal errors:", ...told].join("\n");
}

function repeatedIn(map: YAMLMap): { offset: number; key: unknown }[] {
  const seen = new Set<unknown>();
  return map.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || key.value === "<<") return [];
    if (!seen.has(key.value)) {
      seen.add(key.value);
      return [];
    }
    const node = (value ?? key) as Node;
    const start = isMap(node) && isScalar(node.items[0]?.key) ? node.items[0].key : node;
    return [{ offset: start.range?.[0] ?? 0, key: key.value }];
  });
}
