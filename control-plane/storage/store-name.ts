/** Which store of which cluster. */
export interface StoreName {
  cluster: string;
  /** Empty for the core group. */
  group: string;
  resource: string;
}

/** The name of a store's Durable Object: `<cluster>/<group>/<resource>`. */
export const storeName = ({ cluster, group, resource }: StoreName): string => `${cluster}/${group}/${resource}`;

/** @throws Error if the text is no store's name */
export function parseStoreName(text: string | undefined): StoreName {
  const [cluster, group, resource, ...rest] = (text ?? "").split("/");
  if (!cluster || group === undefined || !resource || rest.length > 0) throw new Error(`not a store's name: ${text}`);
  return { cluster, group, resource };
}
