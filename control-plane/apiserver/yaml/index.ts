/**
 * YAML as upstream's server reads and writes it (go-yaml, YAML 1.1): bodies and answers of `application/yaml`. A library
 * parses; nothing but an exact writer gives the very text that upstream gives, so that one is our own.
 */
export { explainDuplicateKeys } from "./duplicates.ts";
export { explainBadYaml, parseYaml } from "./parse.ts";
export { renderYaml } from "./render.ts";
