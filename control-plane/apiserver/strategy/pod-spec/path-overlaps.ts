import { quote } from "../../../../shared/api/field-error.ts";
import type { Volume, VolumeProjection } from "../../../../shared/api/types.ts";

interface SourcedPath {
  path: string;
  source: string;
}

const print = ({ path, source }: SourcedPath) => (source ? `${quote(path)} (${source})` : quote(path));
const withoutSlashes = (path: string) => path.replace(/(?<!\/)\/+$/, "");

/** Far more than a warning can show; paths are compared each with each, and a body may hold 100,000 of them. */
const MAX_OVERLAPS = 100;
const MAX_COMPARED_PATHS = 1000;

/** Pairs of files of which one is, or lies below, the other; the first of them where there are very many. */
function overlaps(paths: SourcedPath[]): string[] {
  const texts: string[] = [];
  const earlier: SourcedPath[] = [];
  for (const { path, source } of paths.slice(0, MAX_COMPARED_PATHS)) {
    if (texts.length >= MAX_OVERLAPS) break;
    const item = { path: withoutSlashes(path), source };
    if (item.path !== "") {
      for (const other of earlier) {
        const [a, b] = [`${item.path}/`, `${other.path}/`];
        if (other.path !== "" && (a.startsWith(b) || b.startsWith(a)))
          texts.push(`${print(item)} with ${print(other)}`);
      }
    }
    earlier.push(item);
  }
  return texts;
}

function projectedPaths(source: VolumeProjection): SourcedPath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const from = (items: { path: string }[], name: string) => items.map(({ path }) => ({ path, source: name }));
  if (configMap?.items) return from(configMap.items, `ConfigMap ${quote(configMap.name ?? "")}`);
  if (secret?.items) return from(secret.items, `Secret ${quote(secret.name ?? "")}`);
  if (downwardAPI?.items) return from(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? "";
    return [{ path: clusterTrustBundle.path, source: `ClusterTrustBundle ${quote(name)}` }];
  }
  const { certificateChainPath, keyPath, credentialBundlePath } = podCertificate ?? {};
  return [
    { path: certificateChainPath ?? "", source: "PodCertificate chain" },
    { path: keyPath ?? "", source: "PodCertificate key" },
    { path: credentialBundlePath ?? "", source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

/** Files of one volume that hide each other. */
export function overlappingPathWarnings(volumes: Volume[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => {
    const warn = (kind: string, texts: string[]) =>
      texts.map((text) => `volume ${quote(name)} (${kind}): overlapping paths: ${text}`);
    const plain = (items: { path: string }[] | undefined) =>
      overlaps((items ?? []).map(({ path }) => ({ path, source: "" })));
    const empty = (projected?.sources ?? [])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${quote(name)} (Projected) has no sources provided`);
    return [
      ...warn(`ConfigMap ${quote(configMap?.name ?? "")}`, plain(configMap?.items)),
      ...warn(`Secret ${quote(secret?.secretName ?? "")}`, plain(secret?.items)),
      ...warn("DownwardAPI", plain(downwardAPI?.items)),
      ...empty,
      ...warn("Projected", overlaps((projected?.sources ?? []).flatMap(projectedPaths))),
    ];
  });
}
