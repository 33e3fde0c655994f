/**
 * Who set which field (metadata.managedFields), and server-side apply on top of it. Pure: states of an object in, objects
 * and entries out; decoding, defaulting, admission and storage are the caller's.
 */
export { entriesOfScale, entriesOfWorkload } from "./scale-entries.ts";
export { type Apply, printConfig, printKind, trackApply } from "./track-apply.ts";
export { trackUpdate, type Update } from "./track-update.ts";
export type { InVersion } from "./versions.ts";
