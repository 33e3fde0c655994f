/** Images that come as files: for labs without a registry, and for tests. Pulling from registries is the runtime's job. */
export { normalizeImageName } from "./image-names.ts";
export { type ImportedImage, importImage } from "./import.ts";
