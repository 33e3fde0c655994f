import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
} from "../../../../shared/api/types.ts";
import { checkLabelSelector } from "../label-selector.ts";
import { checkFieldRef, checkResourceFieldRef, VOLUME_FIELDS } from "./env.ts";
import { checkVolumeFilePath } from "./paths.ts";

const FILE_MODE = "must be a number between 0 and 0777 (octal), both inclusive";

export const checkFileMode = (mode: number | undefined, field: string): StatusCause[] =>
  mode === undefined || (mode >= 0 && mode <= 0o777) ? [] : [invalidValue(field, mode, FILE_MODE)];

function checkKeyToPath({ key, path = "", mode }: KeyToPath, field: string): StatusCause[] {
  return [
    ...(key ? [] : [required(`${field}.key`)]),
    ...(path ? [] : [required(`${field}.path`)]),
    ...checkVolumeFilePath(path, `${field}.path`),
    ...checkFileMode(mode, `${field}.mode`),
  ];
}

/** A ConfigMap or Secret volume; `name` is the field that refers to the object. */
export function checkKeyedVolume(
  source: { items?: KeyToPath[]; defaultMode?: number },
  path: string,
  name: { field: "name" | "secretName"; value: string | undefined },
): StatusCause[] {
  return [
    ...(name.value ? [] : [required(`${path}.${name.field}`)]),
    ...checkFileMode(source.defaultMode, `${path}.defaultMode`),
    ...(source.items ?? []).flatMap((item, index) => checkKeyToPath(item, `${path}.items[${index}]`)),
  ];
}

/** Upstream gives the volume's path for every file of it. */
export function checkDownwardFile(file: DownwardAPIVolumeFile, path: string): StatusCause[] {
  const causes = file.path ? [] : [required(`${path}.path`)];
  causes.push(...checkVolumeFilePath(file.path ?? "", `${path}.path`));
  if (file.fieldRef) {
    causes.push(...checkFieldRef(file.fieldRef, VOLUME_FIELDS, `${path}.fieldRef`));
    if (file.resourceFieldRef) {
      causes.push(invalidValue(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (file.resourceFieldRef) {
    causes.push(...checkResourceFieldRef(file.resourceFieldRef, `${path}.resourceFieldRef`, true));
  } else causes.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  causes.push(...checkFileMode(file.mode, `${path}.mode`));
  return causes;
}

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Several sources in one directory; no two files may share a path. */
export function checkProjected(source: ProjectedVolumeSource, path: string): StatusCause[] {
  const causes = checkFileMode(source.defaultMode, `${path}.defaultMode`);
  const taken = new Set<string>();
  const claim = (file: string, printed: string) => {
    if (taken.has(file)) causes.push(invalidValue(path, printed, "conflicting duplicate paths"));
    taken.add(file);
  };
  for (const [index, projection] of (source.sources ?? []).entries()) {
    const field = `${path}.sources[${index}]`;
    let count = 0;
    for (const kind of ["secret", "configMap"] as const) {
      const keyed = projection[kind];
      if (!keyed) continue;
      count++;
      if (!keyed.name) causes.push(required(`${field}.${kind}.name`));
      for (const [i, item] of (keyed.items ?? []).entries()) {
        causes.push(...checkKeyToPath(item, `${field}.${kind}.items[${i}]`));
        if (item.path) claim(item.path, keyed.name ?? "");
      }
    }
    if (projection.downwardAPI) {
      count++;
      for (const file of projection.downwardAPI.items ?? []) {
        causes.push(...checkDownwardFile(file, `${field}.downwardAPI`));
        if (file.path) claim(file.path, file.path);
      }
    }
    const token = projection.serviceAccountToken;
    if (token) {
      count++;
      const seconds = token.expirationSeconds ?? 0;
      const secondsField = `${field}.serviceAccountToken.expirationSeconds`;
      if (seconds < MIN_TOKEN_SECONDS) {
        causes.push(invalidValue(secondsField, seconds, "may not specify a duration less than 10 minutes"));
      }
      if (seconds > MAX_TOKEN_SECONDS) {
        causes.push(invalidValue(secondsField, seconds, "may not specify a duration larger than 2^32 seconds"));
      }
      if (!token.path) causes.push(required(`${path}.path`));
      else causes.push(...checkVolumeFilePath(token.path, `${path}.path`));
    }
    if (projection.clusterTrustBundle) {
      count++;
      causes.push(...checkTrustBundle(projection.clusterTrustBundle, `${field}.clusterTrustBundle`));
      const file = projection.clusterTrustBundle.path ?? "";
      claim(file, file);
    }
    if (projection.podCertificate) {
      count++;
      causes.push(...checkPodCertificate(projection.podCertificate, `${field}.podCertificate`, claim));
    }
    if (count > 1) causes.push(fieldForbidden(field, "may not specify more than 1 volume type per source"));
  }
  return causes;
}

/** `signer.example.com:name`: a bundle that belongs to a signer carries its name. */
function checkTrustBundleName(name: string): string[] {
  const split = name.lastIndexOf(":");
  return checkDns1123Subdomain(split < 0 ? name : name.slice(split + 1));
}

function checkTrustBundle(bundle: ClusterTrustBundleProjection, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const { name, signerName, labelSelector, path: file = "" } = bundle;
  if (name !== undefined && signerName !== undefined) {
    const printed = {
      Name: name,
      SignerName: signerName,
      LabelSelector: labelSelector ?? null,
      Optional: bundle.optional ?? null,
      Path: file,
    };
    causes.push(invalidValue(path, printed, "only one of name and signerName may be used"));
  } else if (name !== undefined) {
    if (name === "") causes.push(required(`${path}.name`, "must be a valid object name"));
    for (const message of checkTrustBundleName(name)) {
      causes.push(invalidValue(`${path}.name`, name, `not a valid clustertrustbundlename: ${message}`));
    }
    if (labelSelector) {
      causes.push(
        invalidValue(`${path}.labelSelector`, labelSelector, "labelSelector must be unset if name is specified"),
      );
    }
  } else if (signerName !== undefined) {
    if (signerName === "") causes.push(required(`${path}.signerName`, "must be a valid signer name"));
    causes.push(...checkSignerName(signerName, `${path}.signerName`));
    causes.push(...checkLabelSelector(labelSelector, `${path}.labelSelector`));
  } else causes.push(required(path, "either name or signerName must be specified"));
  if (file === "") causes.push(required(`${path}.path`));
  causes.push(...checkVolumeFilePath(file, `${path}.path`));
  return causes;
}

const MAX_DOMAIN = 253;
const MAX_LABEL = 63;

/** `example.com/signer-name`, of certificates and trust bundles. */
export function checkSignerName(name: string | undefined, field: string): StatusCause[] {
  if (!name) return [required(field)];
  const segments = name.split("/");
  if (segments.length !== 2) {
    return [
      invalidValue(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  }
  const [domain = "", rest = ""] = segments;
  const causes: StatusCause[] = domain.length > MAX_DOMAIN ? [tooLong(field, MAX_DOMAIN)] : [];
  const checkParts = (segment: string, check: (part: string) => string[]) => {
    const bad = segment.split(".").find((part) => check(part).length > 0);
    if (bad === undefined) return;
    for (const message of check(bad)) {
      causes.push(invalidValue(field, segment, `validating label "${bad}": ${message}`));
    }
  };
  checkParts(domain, checkDns1123Label);
  if (!domain.includes(".")) {
    causes.push(invalidValue(field, domain, "should be a domain with at least two segments separated by dots"));
  }
  checkParts(rest, checkDns1123Subdomain);
  const max = MAX_DOMAIN + MAX_DOMAIN + MAX_LABEL + 2;
  if (name.length > max) causes.push(tooLong(field, max));
  return causes;
}

const KEY_TYPES = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const MIN_CERTIFICATE_SECONDS = 3600;
/** 91 days; 24 hours for signers of Kubernetes itself. */
const MAX_CERTIFICATE_SECONDS = 7_862_400;
const MAX_KUBERNETES_CERTIFICATE_SECONDS = 86_400;

function checkPodCertificate(
  source: PodCertificateProjection,
  path: string,
  claim: (file: string, printed: string) => void,
): StatusCause[] {
  const causes = checkSignerName(source.signerName, `${path}.signerName`);
  for (const key of Object.keys(source.userAnnotations ?? {})) {
    const lower = key.toLowerCase();
    const bad = invalidEach(`${path}.userAnnotations`, lower, checkQualifiedName(lower));
    causes.push(...bad);
    if (bad.length === 0 && !lower.includes("/")) {
      const rule = 'must be a domain-prefixed key (such as "acme.io/foo")';
      causes.push(invalidValue(`${path}.userAnnotations`, lower, rule));
    }
  }
  if (!KEY_TYPES.includes(source.keyType)) {
    causes.push(notSupported(`${path}.keyType`, source.keyType ?? "", KEY_TYPES));
  }
  const seconds = source.maxExpirationSeconds;
  if (seconds !== undefined) {
    const field = `${path}.maxExpirationSeconds`;
    if (seconds < MIN_CERTIFICATE_SECONDS) {
      causes.push(invalidValue(field, seconds, "if provided, maxExpirationSeconds must be >= 3600"));
    }
    const ofKubernetes = /(^|\.)kubernetes\.io$/.test((source.signerName ?? "").split("/")[0] ?? "");
    const max = ofKubernetes ? MAX_KUBERNETES_CERTIFICATE_SECONDS : MAX_CERTIFICATE_SECONDS;
    if (seconds > max) {
      causes.push(invalidValue(field, seconds, `if provided, maxExpirationSeconds must be <= ${max}`));
    }
  }
  const names = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const).filter((name) => source[name]);
  for (const name of names) {
    const file = source[name] ?? "";
    causes.push(...checkVolumeFilePath(file, `${path}.${name}`));
    claim(file, file);
  }
  if (names.length === 0) {
    causes.push(required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"));
  }
  return causes;
}
