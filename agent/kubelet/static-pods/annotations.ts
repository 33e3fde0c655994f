import type { Pod } from "../../api/index.ts";

/** What a kubelet writes on pods that it read from files, and on their mirrors. */
export const CONFIG_HASH = "kubernetes.io/config.hash";
export const CONFIG_MIRROR = "kubernetes.io/config.mirror";
export const CONFIG_SEEN = "kubernetes.io/config.seen";
export const CONFIG_SOURCE = "kubernetes.io/config.source";

export const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[CONFIG_MIRROR] !== undefined;

/** `namespace/name`: what a static pod and its mirror have in common. */
export const fullName = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;
