import { z } from "zod";

const NAME_ANNOTATION = "io.containerd.image.name";
const REF_ANNOTATION = "org.opencontainers.image.ref.name";

/** What is read of an OCI layout's index.json; the rest of it is kept as it is. */
const ociIndex = z.looseObject({
  manifests: z.array(z.looseObject({ annotations: z.record(z.string(), z.string()).optional() })).min(1),
});
/** A docker archive's manifest.json. */
const dockerManifest = z.array(z.looseObject({ RepoTags: z.array(z.string()).nullish() })).min(1);

/** `nginx:1.29` → `docker.io/library/nginx:1.29`: as the runtime's CRI side looks images up. */
export function normalizeImageName(name: string): string {
  const slash = name.indexOf("/");
  const first = slash < 0 ? "" : name.slice(0, slash);
  const hasHost = first === "localhost" || /[.:]/.test(first);
  const whole = hasHost ? name : `docker.io/${slash < 0 ? `library/${name}` : name}`;
  const lastPart = whole.slice(whole.lastIndexOf("/") + 1);
  return /[:@]/.test(lastPart) ? whole : `${whole}:latest`;
}

/**
 * Gives each image of an OCI index the full name under which it is to be known.
 * @param nameFor takes the place of names in the archive; for archives of a single image
 * @throws Error if an image has no full name
 */
export function nameOciImages(indexJson: Buffer, nameFor?: string): { index: Buffer; names: string[] } {
  const index = ociIndex.parse(JSON.parse(indexJson.toString("utf8")));
  if (nameFor !== undefined && index.manifests.length > 1) {
    throw new Error("--name needs an archive of one image, this one has several");
  }
  const names = index.manifests.map(({ annotations }) => {
    const ref = annotations?.[REF_ANNOTATION];
    // A lone word there is only a tag.
    const name = nameFor ?? annotations?.[NAME_ANNOTATION] ?? (ref && /[/:]/.test(ref) ? ref : undefined);
    if (name === undefined) throw new Error(`the archive does not say what its image is called; give it with --name`);
    return normalizeImageName(name);
  });
  const manifests = index.manifests.map((manifest, position) => ({
    ...manifest,
    annotations: { ...manifest.annotations, [NAME_ANNOTATION]: names[position]! },
  }));
  return { index: Buffer.from(JSON.stringify({ ...index, manifests })), names: [...new Set(names)] };
}

/** The names in a docker archive. The runtime normalizes them by itself. */
export function dockerImageNames(manifestJson: Buffer): string[] {
  const images = dockerManifest.parse(JSON.parse(manifestJson.toString("utf8")));
  return images.flatMap(({ RepoTags }) => RepoTags ?? []).map(normalizeImageName);
}
