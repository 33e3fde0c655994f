import type { KubeObject } from "../../../shared/api/object.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { compareFields } from "./compare.ts";
import { type FieldSet, union } from "./field-set.ts";
import { ignoring, withoutManagedFields } from "./ownership.ts";
import type { Resolve } from "./path-element.ts";
import { zeroObject } from "./zero-object.ts";

export interface Versioned {
  object: KubeObject;
  schema: Schema;
  /** Its name in Definitions. */
  schemaName: string;
}

/**
 * Converts an object from the version that it names to another one.
 * @param object left alone
 * @returns undefined where there is no such version, or no way to it
 */
export type InVersion = (apiVersion: string, object: KubeObject) => Versioned | undefined;

/** What a write did to fields: added or changed, and removed. */
export interface Changes {
  taken: FieldSet;
  removed: FieldSet;
}

interface Write {
  /** Undefined for a create. */
  before: KubeObject | undefined;
  after: KubeObject;
  /** The version of both. */
  apiVersion: string;
  inVersion?: InVersion;
  resolve: Resolve;
  ignored?: readonly string[];
}

/**
 * What changed, told in the fields of any version; undefined for one that is not served: what its managers own is lost.
 * @param own the changes in the version of the write
 */
export function changesByVersion(write: Write, own: Changes): (apiVersion: string) => Changes | undefined {
  const known = new Map<string, Changes | undefined>([[write.apiVersion, own]]);
  return (apiVersion) => {
    if (!known.has(apiVersion)) known.set(apiVersion, changesIn(apiVersion, write));
    return known.get(apiVersion);
  };
}

function changesIn(apiVersion: string, { before, after, inVersion, resolve, ignored }: Write): Changes | undefined {
  const now = inVersion?.(apiVersion, after);
  if (!now) return undefined;
  const old = before && inVersion?.(apiVersion, before);
  const { added, modified, removed } = compareFields(
    withoutManagedFields(old?.object ?? zeroObject(now.schema, now.schemaName)),
    withoutManagedFields(now.object),
    now.schema,
    resolve,
  );
  const filter = ignoring(ignored ?? []);
  return { taken: filter(union(added, modified)), removed: filter(removed) };
}
