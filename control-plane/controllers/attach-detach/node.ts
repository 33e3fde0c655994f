import type { Node } from "../../../shared/api/types.ts";

const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Its kubelet leaves attaching to this controller. */
export const isManaged = ({ metadata }: Node): boolean => metadata.annotations?.[MANAGED] === "true";

export const isOutOfService = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false;
