import { Buffer } from "node:buffer";
import { joinMessages, messageOf } from "../../shared/message-of.ts";
import type { Pod, Volume } from "../api/index.ts";
import { type PodAddresses, podFieldValue } from "./field-value.ts";
import { checkedPath, DEFAULT_MODE, type Payload, projectConfigMap, projectSecret } from "./projection.ts";
import { type Allocatable, resourceFieldValue } from "./resource-value.ts";
import type { VolumeSources } from "./sources.ts";

/** Seconds; the API server writes the same default. */
const DEFAULT_TOKEN_EXPIRATION = 3600;

export interface ContentContext {
  pod: Pod;
  sources: VolumeSources;
  addresses: PodAddresses;
  allocatable: Allocatable;
}

type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

/** Volumes whose files come from the API, all as a list of projected sources with the mode for files without one. */
export function asProjection(volume: Volume): { sources: Projection[]; defaultMode: number } | undefined {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) return { sources: [{ configMap }], defaultMode: configMap.defaultMode ?? DEFAULT_MODE };
  if (secret) {
    const { secretName, items, optional, defaultMode } = secret;
    return { sources: [{ secret: { name: secretName, items, optional } }], defaultMode: defaultMode ?? DEFAULT_MODE };
  }
  if (downwardAPI) return { sources: [{ downwardAPI }], defaultMode: downwardAPI.defaultMode ?? DEFAULT_MODE };
  if (projected) return { sources: projected.sources ?? [], defaultMode: projected.defaultMode ?? DEFAULT_MODE };
  return undefined;
}

/** The names of the ConfigMaps and Secrets that a volume's files come from. */
export function volumeReferences(volume: Volume): { configMaps: string[]; secrets: string[] } {
  const sources = asProjection(volume)?.sources ?? [];
  const isName = (name: string | undefined) => name !== undefined;
  return {
    configMaps: sources.map(({ configMap }) => configMap?.name).filter(isName),
    secrets: sources.map(({ secret }) => secret?.name).filter(isName),
  };
}

/**
 * The files of such a volume; where two sources name the same path, the later one wins.
 * @throws Error in upstream's words of all the sources that are missing and not optional
 */
export async function readContent(
  { sources, defaultMode }: { sources: Projection[]; defaultMode: number },
  context: ContentContext,
): Promise<Payload> {
  const payload: Payload = new Map();
  const failures: string[] = [];
  // Each may be a question to the API.
  const read = await Promise.allSettled(sources.map((source) => readSource(source, defaultMode, context)));
  for (const result of read) {
    if (result.status === "rejected") failures.push(messageOf(result.reason));
    else for (const [path, file] of result.value) payload.set(path, file);
  }
  if (failures.length > 0) throw new Error(joinMessages(failures));
  return payload;
}

async function readSource(source: Projection, defaultMode: number, context: ContentContext): Promise<Payload> {
  const { pod, sources } = context;
  if (source.configMap) {
    const { name = "", items, optional } = source.configMap;
    const configMap = await sources.configMap(pod, name);
    if (configMap) return projectConfigMap(configMap, { items, optional, defaultMode });
    if (optional) return new Map();
    throw new Error(`configmap "${name}" not found`);
  }
  if (source.secret) {
    const { name = "", items, optional } = source.secret;
    const secret = await sources.secret(pod, name);
    if (secret) return projectSecret(secret, { items, optional, defaultMode });
    if (optional) return new Map();
    throw new Error(`secret "${name}" not found`);
  }
  if (source.serviceAccountToken) {
    const { path, audience, expirationSeconds = DEFAULT_TOKEN_EXPIRATION } = source.serviceAccountToken;
    const token = await sources.serviceAccountToken(pod, { audience, expirationSeconds });
    return new Map([[checkedPath(path), { content: Buffer.from(token), ...tokenPermissions(pod, defaultMode) }]]);
  }
  if (source.downwardAPI) return readDownwardApi(source.downwardAPI.items ?? [], defaultMode, context);
  // The kubelet's words where the API that they come from is off.
  if (source.clusterTrustBundle) {
    throw new Error("ClusterTrustBundle projection is not supported in static kubelet mode");
  }
  if (source.podCertificate) throw new Error("unimplemented");
  return new Map();
}

type DownwardItem = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>[number];

function readDownwardApi(
  items: DownwardItem[],
  defaultMode: number,
  { pod, addresses, allocatable }: ContentContext,
): Payload {
  return new Map(
    items.map(({ path, fieldRef, resourceFieldRef, mode }) => {
      const value = fieldRef
        ? podFieldValue(pod, fieldRef.fieldPath, addresses)
        : resourceFieldRef
          ? resourceFieldValue(pod, undefined, resourceFieldRef, allocatable)
          : "";
      return [checkedPath(path), { content: Buffer.from(value), mode: mode ?? defaultMode }];
    }),
  );
}

/**
 * A token is the pod's user's if all containers run as one, and readable by nobody else; fsGroup adds the group's right.
 * @see KEP-1205, "File Permission"
 */
export function tokenPermissions({ spec }: Pod, defaultMode: number): { mode: number; uid?: number } {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const users = new Set(
    containers.map(({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser),
  );
  const uid = users.size === 1 ? [...users][0] : undefined;
  const isRestricted = uid !== undefined || spec.securityContext?.fsGroup !== undefined;
  return { mode: isRestricted ? 0o600 : defaultMode, ...(uid !== undefined && { uid }) };
}
