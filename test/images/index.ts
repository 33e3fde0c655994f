/**
 * Images for tests, built without a registry or docker: OCI archives of a static busybox. `node test/images/main.ts DIR`
 * writes them for use by hand with `agent image import`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { socatImage, testImages } from "./catalogue.ts";
import { renderOciArchive } from "./oci-image.ts";

export { renderDockerArchive } from "./docker-image.ts";
export { type ImageSource, renderOciArchive } from "./oci-image.ts";
export { socatImage, testImages };

/** Writes one archive for each image into `directory`. @returns the files' paths by image name */
export function writeTestImages(directory: string, images = testImages()): Map<string, string> {
  mkdirSync(directory, { recursive: true });
  return new Map(
    images.map((source) => {
      const path = join(directory, `${source.name.replaceAll(/[^a-zA-Z0-9.]+/g, "-")}.tar`);
      writeFileSync(path, renderOciArchive(source));
      return [source.name, path];
    }),
  );
}
