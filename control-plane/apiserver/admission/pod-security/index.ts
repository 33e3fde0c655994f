/**
 * The Pod Security Standards as pure functions: what a namespace's labels ask for, and what a level as of a version
 * forbids about a pod. The admission plugin that asks them is plugins/pod-security.ts.
 */
export type { PodLike } from "./check.ts";
export { evaluate, printViolations } from "./evaluate.ts";
export { warnOfExistingPods } from "./existing-pods.ts";
export { isSame, isStricter, type LevelVersion, type Policy, printLevel, readPolicy } from "./level.ts";
