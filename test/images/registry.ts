import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ImageSource, renderOciParts } from "./oci-image.ts";

/** A read-only registry on loopback (distribution API v2) that serves one image, for a user and password if given. */
export class TestRegistry {
  readonly #server: Server;
  /** Paths that were asked for with good credentials. */
  readonly served: string[] = [];

  static async start(source: ImageSource, credentials?: { username: string; password: string }): Promise<TestRegistry> {
    const registry = new TestRegistry(source, credentials);
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  private constructor(source: ImageSource, credentials?: { username: string; password: string }) {
    const { manifest, blobs } = renderOciParts(source);
    const digestOf = (content: Buffer) => `sha256:${createHash("sha256").update(content).digest("hex")}`;
    const wanted =
      credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
    this.#server = createServer((request, response) => {
      if (wanted && request.headers.authorization !== wanted) {
        response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
        return;
      }
      this.served.push(request.url!);
      const reference = /^\/v2\/.+\/(manifests|blobs)\/(.+)$/.exec(request.url!);
      const isManifest = reference?.[1] === "manifests";
      const content = isManifest ? manifest : blobs.find((blob) => digestOf(blob) === reference?.[2]);
      if (request.url === "/v2/") return void response.writeHead(200).end();
      if (!reference || !content) return void response.writeHead(404).end();
      response.writeHead(200, {
        "content-type": isManifest ? "application/vnd.oci.image.manifest.v1+json" : "application/octet-stream",
        "docker-content-digest": digestOf(content),
        "content-length": content.length,
      });
      response.end(request.method === "HEAD" ? undefined : content);
    });
  }

  /** `127.0.0.1:<port>`, the host in the image's name. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
