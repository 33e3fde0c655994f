/**
 * The files of containers' logs: rotated while their containers write, the older parts compressed, and removed with their
 * containers (KubeletConfiguration: containerLogMaxSize, containerLogMaxFiles). The runtime writes them, and
 * agent/server/logs reads them.
 */

export { removeLog } from "./files.ts";
export { createLogRotation, type LogRotationSettings } from "./rotation.ts";
