import { createHash } from "node:crypto";
import { renderTar, type TarEntry } from "./tar.ts";

/** What `docker build` would get from a Dockerfile with one COPY. */
export interface ImageSource {
  /** With its registry: `docker.io/library/busybox:1.37`. */
  name: string;
  files: TarEntry[];
  entrypoint?: string[];
  cmd?: string[];
  env?: string[];
  user?: string;
  workingDir?: string;
  stopSignal?: string;
  exposedPorts?: string[];
}

const ARCHITECTURES: Record<string, string> = { x64: "amd64", arm64: "arm64" };

/** The manifest of a single-layer image for this machine's architecture, and what it refers to. */
export function renderOciParts(source: ImageSource): { manifest: Buffer; blobs: Buffer[] } {
  const layer = renderTar(source.files);
  const config = toJson({
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config: {
      Env: source.env ?? ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      ...(source.entrypoint && { Entrypoint: source.entrypoint }),
      ...(source.cmd && { Cmd: source.cmd }),
      ...(source.user && { User: source.user }),
      ...(source.workingDir && { WorkingDir: source.workingDir }),
      ...(source.stopSignal && { StopSignal: source.stopSignal }),
      ...(source.exposedPorts && { ExposedPorts: Object.fromEntries(source.exposedPorts.map((port) => [port, {}])) }),
    },
    rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
  });
  const manifest = toJson({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: describe("application/vnd.oci.image.config.v1+json", config),
    layers: [describe("application/vnd.oci.image.layer.v1.tar", layer)],
  });
  return { manifest, blobs: [layer, config] };
}

/** An OCI image layout with that one image, as a tar archive. */
export function renderOciArchive(source: ImageSource): Buffer {
  const { manifest, blobs: parts } = renderOciParts(source);
  const index = toJson({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...describe("application/vnd.oci.image.manifest.v1+json", manifest),
        annotations: { "io.containerd.image.name": source.name },
      },
    ],
  });
  const blobs = [...parts, manifest].map((content) => ({
    name: `blobs/sha256/${digestOf(content).slice("sha256:".length)}`,
    content,
  }));
  return renderTar([
    { name: "oci-layout", content: toJson({ imageLayoutVersion: "1.0.0" }) },
    { name: "index.json", content: index },
    ...blobs,
  ]);
}

const toJson = (value: unknown) => Buffer.from(JSON.stringify(value));
const digestOf = (content: Buffer) => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const describe = (mediaType: string, content: Buffer) => ({
  mediaType,
  digest: digestOf(content),
  size: content.length,
});
