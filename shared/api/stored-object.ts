import type { KubeObject } from "./object.ts";

const STORED_PREFIX = '{"metadata":{';

/**
 * The text a ResourceStore keeps: JSON without apiVersion, kind and metadata.resourceVersion, metadata first.
 * @throws Error if metadata has no other field (an object always has a name)
 */
export function encodeStored(object: KubeObject): string {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _resourceVersion, ...meta } = metadata;
  const text = JSON.stringify({ metadata: meta, ...rest });
  if (!text.startsWith(`${STORED_PREFIX}"`)) throw new Error("metadata must not be empty");
  return text;
}

/**
 * The object as a client reads it, still as text: kind, apiVersion and resourceVersion put in.
 * Items of a typed list carry no typeMeta (upstream omits it): pass undefined.
 */
export function renderStored(
  value: string,
  revision: number,
  typeMeta: { apiVersion: string; kind: string } | undefined,
): string {
  const head = typeMeta
    ? `{"kind":${JSON.stringify(typeMeta.kind)},"apiVersion":${JSON.stringify(typeMeta.apiVersion)},"metadata":{`
    : STORED_PREFIX;
  return `${head}"resourceVersion":"${revision}",${value.slice(STORED_PREFIX.length)}`;
}

/** The parsed object with its resourceVersion and, if given, its typeMeta. The caller owns the result. */
export function decodeStored<T extends KubeObject = KubeObject>(
  value: string,
  revision: number,
  typeMeta?: { apiVersion: string; kind: string },
): T {
  const object = JSON.parse(value) as T;
  object.metadata.resourceVersion = String(revision);
  return typeMeta ? { kind: typeMeta.kind, apiVersion: typeMeta.apiVersion, ...object } : object;
}
