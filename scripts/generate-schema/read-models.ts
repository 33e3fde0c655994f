import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A type of the client library: regular generated text, described in the .d.ts and mapped to the wire in the .js. */
export interface Model {
  name: string;
  description: string;
  fields: ModelField[];
}

export interface ModelField {
  /** As on the wire (the library renames reserved words). */
  name: string;
  /** As the library spells it: `string`, `Array<V1Container>`, `{ [key: string]: string; }`. */
  type: string;
  format: string;
  required: boolean;
  description: string;
}

interface Attribute {
  name: string;
  baseName: string;
  type: string;
  format: string;
}

/** The folder of the client library that holds its models. */
const MODELS = join(import.meta.dirname, "../../node_modules/@kubernetes/client-node/dist/gen/models");

/** @throws Error if there is no such model, or its text is not laid out as expected */
export function readModel(name: string): Model {
  const declaration = readFileSync(join(MODELS, `${name}.d.ts`), "utf8");
  const attributes = readAttributes(name);
  const documented = readDeclaration(declaration, name);
  return {
    name,
    description: documented.description,
    fields: attributes.map((attribute) => {
      const property = documented.properties.get(attribute.name);
      if (!property) throw new Error(`${name}.${attribute.name} is not declared`);
      return { name: attribute.baseName, type: attribute.type, format: attribute.format, ...property };
    }),
  };
}

function readAttributes(name: string): Attribute[] {
  const code = readFileSync(join(MODELS, `${name}.js`), "utf8");
  const table = /\.attributeTypeMap = (\[[\s\S]*?\n\]|\[\]);/.exec(code);
  if (!table) throw new Error(`${name} has no attribute map`);
  return JSON.parse(table[1]!) as Attribute[];
}

const PROPERTY = /(?:\/\*\*\n {4}\* ([\s\S]*?)\n {4}\*\/\n {4})?'([^']+)'(\??): (?:\{[^}]*\}|[^\n{]+);\n/g;

function readDeclaration(text: string, name: string) {
  const start = text.indexOf(`export declare class ${name} {`);
  if (start < 0) throw new Error(`${name} is not declared in its own file`);
  const head = text.slice(0, start);
  const description = /\/\*\*\n\* ([^\n]*)\n\*\/\n$/.exec(head)?.[1] ?? "";
  const properties = new Map<string, { required: boolean; description: string }>();
  const end = text.indexOf("    static readonly discriminator", start);
  for (const [, comment, property, optional] of text.slice(start, end).matchAll(PROPERTY)) {
    properties.set(property!, { required: optional === "", description: unescapeComment(comment ?? "") });
  }
  return { description: unescapeComment(description), properties };
}

/** The library escapes quotes, and what would begin or end a comment. */
function unescapeComment(text: string): string {
  return text
    .replaceAll('\\"', '"')
    .replaceAll("\\'", "'")
    .replaceAll("*_/", "*/")
    .replaceAll("/_*", "/*")
    .replaceAll("\\\\", "\\")
    .trim();
}
