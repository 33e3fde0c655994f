import { Buffer } from "node:buffer";
import { normalize } from "node:path";
import type { ConfigMap, Secret } from "../api/index.ts";

/** One file of a volume, by its path relative to the mount. */
export interface ProjectedFile {
  content: Buffer;
  /** Permission bits. */
  mode: number;
  /** Owner, when it is not root. */
  uid?: number;
}

export type Payload = Map<string, ProjectedFile>;

export const DEFAULT_MODE = 0o644;
const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

interface Selection {
  items?: KeyToPath[];
  defaultMode: number;
  optional?: boolean;
}

/** @throws Error if an item names a key that is not there and the source is not optional */
export function projectConfigMap(configMap: ConfigMap, selection: Selection): Payload {
  const data = new Map<string, Buffer>();
  for (const [key, value] of Object.entries(configMap.data ?? {})) data.set(key, Buffer.from(value));
  for (const [key, value] of Object.entries(configMap.binaryData ?? {})) data.set(key, Buffer.from(value, "base64"));
  return select(data, selection, "configmap references non-existent config key");
}

/** @throws Error if an item names a key that is not there and the source is not optional */
export function projectSecret(secret: Secret, selection: Selection): Payload {
  const data = new Map(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64")] as const),
  );
  return select(data, selection, "references non-existent secret key");
}

function select(data: Map<string, Buffer>, { items, defaultMode, optional }: Selection, missing: string): Payload {
  if (!items?.length) {
    return new Map([...data].map(([key, content]) => [checkedPath(key), { content, mode: defaultMode }]));
  }
  const payload: Payload = new Map();
  for (const { key, path, mode } of items) {
    const content = data.get(key);
    if (content) payload.set(checkedPath(path), { content, mode: mode ?? defaultMode });
    else if (!optional) throw new Error(`${missing}: ${key}`);
  }
  return payload;
}

/**
 * A relative path that cannot leave its volume nor meet the names that the swap of versions uses, without empty parts.
 * @throws Error in upstream's words for any other
 */
export function checkedPath(path: string): string {
  if (path === "") throw new Error('invalid path: must not be empty: ""');
  if (path.startsWith("/")) throw new Error(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new Error(`invalid path: must be less than or equal to ${MAX_PATH_BYTES} characters`);
  }
  const parts = path.split("/");
  for (const part of parts) {
    if (part === "..") throw new Error(`invalid path: must not contain '..': ${path}`);
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) {
      throw new Error(`invalid path: filenames must be less than or equal to ${MAX_NAME_BYTES} characters`);
    }
  }
  if (parts[0]!.startsWith("..")) throw new Error(`invalid path: must not start with '..': ${path}`);
  return normalize(path).replace(/\/$/, "");
}
