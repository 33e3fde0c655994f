/** A part of a manifest. */
export interface Manifest {
  [field: string]: unknown;
}

/** @param rest the fields beside the metadata: a `spec`, or those of an object without one (`data`) under their names */
export const object = (apiVersion: string, kind: string, metadata: Manifest, rest: Manifest = {}) =>
  JSON.stringify({ apiVersion, kind, metadata, ...rest });

export const manifest = (apiVersion: string, kind: string, name: string, spec: Manifest) =>
  object(apiVersion, kind, { name }, { spec });

/** Several objects in one file. */
export const all = (...manifests: string[]) => manifests.join("\n");
