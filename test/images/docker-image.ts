import { createHash } from "node:crypto";
import type { ImageSource } from "./oci-image.ts";
import { renderTar } from "./tar.ts";

/** What `docker save` writes: a layer, a configuration and a list of both; no OCI layout. */
export function renderDockerArchive({ name, files, cmd = [], entrypoint = [] }: ImageSource): Buffer {
  const layer = renderTar(files);
  const config = {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    docker_version: "28.0.1",
    config: { Cmd: cmd, Entrypoint: entrypoint, Env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] },
    rootfs: { type: "layers", diff_ids: [`sha256:${createHash("sha256").update(layer).digest("hex")}`] },
  };
  const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
  return renderTar([
    { name: "layer.tar", content: layer },
    { name: "config.json", content: Buffer.from(JSON.stringify(config)) },
    { name: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) },
  ]);
}
