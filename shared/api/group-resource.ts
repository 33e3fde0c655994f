/** `{ group: "apps", resource: "deployments" }`; the core group is the empty string. */
export interface GroupResource {
  group: string;
  resource: string;
}

export interface GroupVersionResource extends GroupResource {
  version: string;
}

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** As upstream prints it in messages: `deployments.apps`, `pods`. */
export function printGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** `v1`, `apps/v1`. */
export function printGroupVersion({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
