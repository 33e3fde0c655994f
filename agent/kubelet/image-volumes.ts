import type { Container } from "../api/index.ts";
import type { ImageSpec } from "../cri/index.ts";
import type { KubeletDeps } from "./deps.ts";
import { pullCredentials } from "./images/index.ts";
import type { StartTarget } from "./start-container.ts";

/**
 * The images that a container mounts (KEP-4639), pulled as its own one is; by the volume's name. The runtime mounts them.
 * @throws StartError with the waiting reason
 */
export async function pullImageVolumes(
  { images, objects }: Pick<KubeletDeps, "images" | "objects">,
  { pod, sandboxConfig: sandbox, signal }: StartTarget,
  container: Container,
): Promise<Map<string, ImageSpec>> {
  const found = new Map<string, ImageSpec>();
  for (const { name, image } of pod.spec.volumes ?? []) {
    if (!image || !container.volumeMounts?.some((mount) => mount.name === name)) continue;
    const { reference = "", pullPolicy } = image;
    const asContainer = { ...container, image: reference, imagePullPolicy: pullPolicy };
    const credentials = () => pullCredentials(objects, pod, asContainer);
    const { ref } = await images.ensure({ pod, container: asContainer, sandbox, credentials, signal });
    found.set(name, { image: ref, userSpecifiedImage: reference, annotations: pod.metadata.annotations ?? {} });
  }
  return found;
}
