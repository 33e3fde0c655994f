/**
 * Images for containers: names, pulling with the pod's credentials and with back-off, and which pod may use what another
 * has pulled. It does not remove images.
 */
export { createImagePuller, type ImagePuller } from "./image-puller.ts";
export { missingPullSecrets, pullCredentials } from "./pull-credentials.ts";
export { createPullTurns } from "./pull-turns.ts";
export type { VerificationSettings } from "./pulled-images.ts";
