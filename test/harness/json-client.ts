import { readFileSync } from "node:fs";
import { Agent, type Dispatcher, fetch, type RequestInit, type Response } from "undici";
import { parse } from "yaml";

/** A JSON client with one keep-alive connection per worker, as client-go would be with JSON. */
export class JsonClient {
  readonly #agent: Agent;
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(options: { base: string; ca: string; token: string; connections: number }) {
    this.#base = options.base;
    this.#agent = new Agent({ connect: { ca: options.ca }, connections: options.connections, bodyTimeout: 0 });
    this.#headers = { authorization: `Bearer ${options.token}`, "content-type": "application/json" };
  }

  /**
   * Without fetch's streams and Request, Response and Headers objects, which cost more than the exchange itself.
   * @throws Error with the Status's text for anything but 2xx
   */
  async send(method: string, path: string, body?: string): Promise<string> {
    const response = await this.#agent.request({
      origin: this.#base,
      path,
      method: method as Dispatcher.HttpMethod,
      headers: this.#headers,
      body,
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
    return text;
  }

  /** The answer as it comes, whatever its status. Headers given replace the client's own; an empty one leaves it out. */
  open(
    method: string,
    path: string,
    body?: string,
    signal?: AbortSignal,
    given: Record<string, string> = {},
  ): Promise<Response> {
    const headers = Object.fromEntries(Object.entries({ ...this.#headers, ...given }).filter(([, value]) => value));
    const init: RequestInit = { method, headers, body, signal, dispatcher: this.#agent };
    return fetch(this.#base + path, init);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

interface Kubeconfig {
  clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  users: { user: { token: string } }[];
}

/** Where the API is and who one is there. @throws Error when the file is no kubeconfig with a token */
export function readKubeconfig(file: string): { base: string; ca: string; token: string } {
  const { clusters, users } = parse(readFileSync(file, "utf8")) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = clusters[0]!.cluster;
  return { base: server, ca: Buffer.from(ca, "base64").toString(), token: users[0]!.user.token };
}

export const clientFor = (kubeconfigFile: string, connections: number): JsonClient =>
  new JsonClient({ ...readKubeconfig(kubeconfigFile), connections });
