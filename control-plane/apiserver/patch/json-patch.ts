import { isJsonObject, type Json, type JsonObject, jsonEqual, setOwn } from "../../../shared/api/json.ts";

/**
 * JSON Patch (RFC 6902) with the habits of the Go library that upstream uses, on which clients depend: `replace` sets a
 * map key that is not there, negative array indexes count from the end, a missing `value` is null, a path without its
 * leading slash addresses a key of the root's parent and so has no effect on `add`. Public libraries differ in each.
 */

/** Upstream's maxJSONPatchOperations. */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;
/** Upstream's AccumulatedCopySizeLimit: what all `copy` operations of one patch may add, in bytes of JSON. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

export interface JsonPatchOperation {
  op: string;
  path?: string;
  from?: string;
  value?: Json;
}

/** The patch does not apply: upstream tells clients no more than a 422. */
export class JsonPatchError extends Error {}

/**
 * Applies the operations in order to a copy of the document.
 * @throws JsonPatchError for the first that does not apply
 */
export function applyJsonPatch(document: Json, operations: JsonPatchOperation[]): Json {
  const root: Root = { doc: structuredClone(document), read: new Set() };
  let copiedBytes = 0;
  for (const operation of operations) {
    const { op } = operation;
    if (op === "add") add(root, pathOf(operation.path), cloneOf(operation.value));
    else if (op === "remove") remove(root, pathOf(operation.path));
    else if (op === "replace") replace(root, pathOf(operation.path), cloneOf(operation.value));
    else if (op === "move") {
      const from = pathOf(operation.from);
      const value = read(root, from);
      if (value === undefined) throw new JsonPatchError("move from a path that is not there");
      remove(root, from);
      add(root, pathOf(operation.path), value);
    } else if (op === "copy") {
      const value = read(root, pathOf(operation.from)) ?? null; // an absent key counts as null
      copiedBytes += JSON.stringify(value).length;
      if (copiedBytes > MAX_COPIED_BYTES) throw new JsonPatchError("copied more than the limit");
      add(root, pathOf(operation.path), structuredClone(value));
    } else if (op === "test") {
      if (!jsonEqual(read(root, pathOf(operation.path)) ?? null, operation.value ?? null)) {
        throw new JsonPatchError("test failed");
      }
    } else {
      throw new JsonPatchError(`unknown operation ${String(op)}`);
    }
  }
  return sortRead(root.doc, root);
}

interface Root {
  doc: Json;
  /** Objects that an operation went through: the Go library writes them by their keys, others as they were. */
  read: Set<Json>;
}

function sortRead(value: Json, root: Root): Json {
  if (value !== root.doc && !root.read.has(value)) return value;
  if (Array.isArray(value)) return value.map((item) => sortRead(item, root));
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortRead(value[key]!, root));
  return sorted;
}

const cloneOf = (value: Json | undefined): Json => (value === undefined ? null : structuredClone(value));

/** The path's tokens, unescaped; the first is the text before the first slash (ordinarily empty). */
function pathOf(path: string | undefined): string[] {
  if (path === undefined) throw new JsonPatchError("no path");
  return path.split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The container that holds the last token. Undefined when the path leads nowhere. */
function parentOf(root: Root, tokens: string[]): Json[] | JsonObject | undefined {
  let at: Json | undefined = root.doc;
  for (const token of tokens.slice(1, -1)) {
    at = childOf(at, token);
    if (at === undefined) return undefined;
    root.read.add(at);
  }
  return Array.isArray(at) || isJsonObject(at) ? at : undefined;
}

function childOf(container: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(container)) return container[existingIndex(container, token)];
  if (isJsonObject(container)) return Object.hasOwn(container, token) ? container[token] : undefined;
  return undefined;
}

/** The whole document, addressed by the empty path. */
const isRoot = (tokens: string[]) => tokens.length === 1 && tokens[0] === "";

/** Undefined when a map on the way lacks the key; an array index out of range throws. */
function read(root: Root, tokens: string[]): Json | undefined {
  if (isRoot(tokens)) return root.doc;
  if (tokens.length === 1) throw new JsonPatchError("relative path");
  const parent = parentOf(root, tokens);
  if (!parent) throw new JsonPatchError("missing path");
  return childOf(parent, tokens.at(-1)!);
}

function add(root: Root, tokens: string[], value: Json): void {
  if (isRoot(tokens)) {
    if (isJsonObject(value) && Object.keys(value).length === 0) throw new JsonPatchError("an empty document");
    setRoot(root, value);
    return;
  }
  if (tokens.length === 1) throw new JsonPatchError("relative path");
  const parent = parentOf(root, tokens);
  if (!parent) throw new JsonPatchError("add to a path that is not there");
  const key = tokens.at(-1)!;
  if (Array.isArray(parent)) parent.splice(insertionIndex(parent, key), 0, value);
  else setOwn(parent, key, value);
}

function replace(root: Root, tokens: string[], value: Json): void {
  if (isRoot(tokens)) {
    setRoot(root, value);
    return;
  }
  const parent = tokens.length > 1 ? parentOf(root, tokens) : undefined;
  if (!parent) throw new JsonPatchError("replace on a path that is not there");
  const key = tokens.at(-1)!;
  if (Array.isArray(parent)) parent[existingIndex(parent, key)] = value;
  else setOwn(parent, key, value);
}

function remove(root: Root, tokens: string[]): void {
  const parent = tokens.length > 1 ? parentOf(root, tokens) : undefined;
  if (!parent) throw new JsonPatchError("remove of a path that is not there");
  const key = tokens.at(-1)!;
  if (Array.isArray(parent)) parent.splice(existingIndex(parent, key), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw new JsonPatchError("remove of a key that is not there");
}

/** Only an object may take the document's place. */
function setRoot(root: Root, value: Json): void {
  if (!isJsonObject(value)) throw new JsonPatchError("the document must be an object");
  root.doc = value;
}

function existingIndex(array: Json[], token: string): number {
  const index = wholeNumber(token);
  const at = index < 0 ? index + array.length : index;
  if (at < 0 || at >= array.length) throw new JsonPatchError("index out of range");
  return at;
}

function insertionIndex(array: Json[], token: string): number {
  if (token === "-") return array.length;
  const index = wholeNumber(token);
  const at = index < 0 ? index + array.length + 1 : index;
  if (at < 0 || at > array.length) throw new JsonPatchError("index out of range");
  return at;
}

function wholeNumber(token: string): number {
  if (!/^[-+]?\d{1,9}$/.test(token)) throw new JsonPatchError("not an index");
  return Number(token);
}
