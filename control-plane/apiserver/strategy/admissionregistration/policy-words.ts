/** Values of enumerated fields that webhooks and policies share. */
export const FAILURE_POLICIES = ["Fail", "Ignore"];
export const MATCH_POLICIES = ["Equivalent", "Exact"];
export const REINVOCATION_POLICIES = ["IfNeeded", "Never"];

/** Names that upstream keeps for configuration read from files. */
const STATIC_SUFFIX = ".static.k8s.io";

export const warnOfStaticName = (name: string): string[] =>
  name.endsWith(STATIC_SUFFIX)
    ? [
        `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`,
      ]
    : [];
