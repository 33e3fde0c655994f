import type { Node } from "../../../shared/api/types.ts";

/** Old names that follow the new ones. */
const OLD_NAME_OF: Record<string, string> = {
  "kubernetes.io/os": "beta.kubernetes.io/os",
  "kubernetes.io/arch": "beta.kubernetes.io/arch",
};

/** The labels to add to a node. */
export function decideOldLabels({ metadata: { labels } }: Node): Record<string, string> {
  const missing: Record<string, string> = {};
  for (const [name, old] of Object.entries(OLD_NAME_OF)) {
    const value = labels?.[name];
    if (value !== undefined && labels?.[old] !== value) missing[old] = value;
  }
  return missing;
}
