import type { FilterPlugin } from "../framework/plugin.ts";
import { choicesOn, sortClaims } from "../volumes/index.ts";

/** A pod goes where its bound volumes can be reached, and where those that are not bound yet can be had. */
export const volumeBinding: FilterPlugin = {
  name: "VolumeBinding",
  preFilter: ({ pod }, { storage }) => {
    const claims = sortClaims(pod, storage);
    return claims && "never" in claims ? claims : undefined;
  },
  prepare: ({ pod }, { storage }) => {
    const claims = sortClaims(pod, storage);
    if (!claims || "never" in claims) return undefined;
    return {
      filter: ({ node }) => {
        const choices = choicesOn(node, claims, storage);
        return "reasons" in choices ? { unresolvable: true, reasons: choices.reasons } : undefined;
      },
    };
  },
};
