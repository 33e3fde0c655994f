/**
 * Who set which field (metadata.managedFields). Pure: states of an object in, entries out. Tracking of creates, updates
 * and patches is here; server-side apply builds on the same sets.
 */
export { trackUpdate, type Update } from "./track-update.ts";
