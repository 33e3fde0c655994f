import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Container, Pod, Secret } from "../../api/index.ts";
import type { AuthConfig } from "../../cri/index.ts";
import type { VolumeSources } from "../../volumes/index.ts";
import type { SecretIdentity } from "./pulled-images.ts";

/** What to show to a registry, and where it is from. */
export interface PullCredential {
  auth: AuthConfig;
  secret: SecretIdentity;
}

interface DockerConfig {
  auths?: Record<string, { username?: string; password?: string; auth?: string; identitytoken?: string }>;
}

/** The credentials of the pod's imagePullSecrets that fit the image, the closest match first. Missing secrets are passed over. */
export async function pullCredentials(
  objects: Pick<VolumeSources, "secret">,
  pod: Pod,
  container: Container,
): Promise<PullCredential[]> {
  const secrets = await pullSecrets(objects, pod);
  return matchCredentials([...secrets.values()].filter(isThere), container.image ?? "");
}

/** The names of those imagePullSecrets of the pod that cannot be had. */
export async function missingPullSecrets(objects: Pick<VolumeSources, "secret">, pod: Pod): Promise<string[]> {
  return [...(await pullSecrets(objects, pod))].filter(([, secret]) => !secret).map(([name]) => name);
}

/** By name; undefined if there is none. */
async function pullSecrets(objects: Pick<VolumeSources, "secret">, pod: Pod): Promise<Map<string, Secret | undefined>> {
  const secrets = new Map<string, Secret | undefined>();
  for (const { name } of pod.spec.imagePullSecrets ?? []) {
    // Validation once let empty names through.
    if (name) secrets.set(name, await objects.secret(pod, name).catch(() => undefined));
  }
  return secrets;
}

const isThere = (secret: Secret | undefined) => secret !== undefined;

/** @see https://kubernetes.io/docs/concepts/containers/images/#config-json */
export function matchCredentials(secrets: Secret[], image: string): PullCredential[] {
  const repository = qualify(image);
  return secrets
    .flatMap((secret) => Object.entries(parseDockerConfig(secret).auths ?? {}).map((entry) => ({ secret, entry })))
    .map(({ secret, entry: [server, auth] }) => ({ pattern: normalizeServer(server), auth, secret }))
    .filter(({ pattern }) => matches(pattern, repository))
    .sort((a, b) => b.pattern.length - a.pattern.length)
    .map(({ auth, secret: { metadata } }) => {
      const own: AuthConfig = {
        username: auth.username ?? "",
        password: auth.password ?? "",
        auth: auth.auth ?? "",
        identityToken: auth.identitytoken ?? "",
      };
      const { uid = "", namespace = "", name } = metadata;
      return { auth: own, secret: { uid, namespace, name, hash: hashOf(own) } };
    });
}

const hashOf = (auth: AuthConfig) => createHash("sha256").update(JSON.stringify(auth)).digest("hex");

function parseDockerConfig({ data }: Secret): DockerConfig {
  const current = data?.[".dockerconfigjson"];
  const old = data?.[".dockercfg"];
  try {
    if (current) return JSON.parse(Buffer.from(current, "base64").toString()) as DockerConfig;
    if (old) return { auths: JSON.parse(Buffer.from(old, "base64").toString()) as DockerConfig["auths"] };
  } catch {
    // A secret that is no JSON has no credentials; the pull then fails with the registry's own words.
  }
  return {};
}

/** `https://index.docker.io/v1/` → `index.docker.io`: keeps a path unless it is the registry's own. */
function normalizeServer(server: string): string {
  return server
    .replace(/^https?:\/\//, "")
    .replace(/\/v[12]\/?$/, "")
    .replace(/\/$/, "");
}

/** With the registry's host: `nginx` is `index.docker.io/library/nginx`. */
function qualify(image: string): string {
  const name = image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
  const [first, ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (first!.includes(".") || first!.includes(":") || first === "localhost");
  if (hasHost) return name.replace(/^docker\.io\//, "index.docker.io/");
  return `index.docker.io/${rest.length === 0 ? `library/${name}` : name}`;
}

function matches(pattern: string, repository: string): boolean {
  const [host, ...path] = pattern.replace(/^docker\.io(?=\/|$)/, "index.docker.io").split("/");
  const [imageHost, ...imagePath] = repository.split("/");
  const parts = host!.split(".");
  const imageParts = imageHost!.split(".");
  if (parts.length !== imageParts.length) return false;
  const sameHost = parts.every((part, index) => globMatches(part, imageParts[index]!));
  return sameHost && imagePath.join("/").startsWith(path.join("/"));
}

function globMatches(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  return new RegExp(`^${pattern.split("*").map(escapeRegExp).join(".*")}$`).test(text);
}

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
