import type { Pod } from "../api/index.ts";

/** Upstream's SystemCriticalPriority. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** Whether the node does without everything else before it does without this pod: static pods, and critical priorities. */
export const isCritical = ({ metadata, spec }: Pod): boolean =>
  metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined ||
  metadata.annotations?.["kubernetes.io/config.source"] === "file" ||
  (spec.priority ?? 0) >= CRITICAL_PRIORITY;
