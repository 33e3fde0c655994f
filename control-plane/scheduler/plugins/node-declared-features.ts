import type { Pod } from "../../../shared/api/types.ts";
import { type FilterPlugin, unresolvable } from "../framework/plugin.ts";

export const REASON = "node(s) didn't match Pod's required features";

/** A pod that needs something new of the kubelet goes where the node says that it has it (KEP-5328). */
export const nodeDeclaredFeatures: FilterPlugin = {
  name: "NodeDeclaredFeatures",
  filter: ({ pod }, { node }) => {
    const declared = node.status?.declaredFeatures ?? [];
    return requiredFeatures(pod).every((feature) => declared.includes(feature)) ? undefined : unresolvable(REASON);
  },
};

/** Of the features that upstream knows of in 1.36, the others matter to changes of running pods, or are off. */
function requiredFeatures({ spec }: Pod): string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const restartsAll = containers.some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"),
  );
  return restartsAll ? ["RestartAllContainersOnContainerExits"] : [];
}
