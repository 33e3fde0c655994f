import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidEach,
  invalidValue,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { explainBadJson } from "../../../../shared/api/json-syntax.ts";
import { checkConfigMapKey } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ConfigMap, Secret } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { pemBlockTypes } from "../cluster/pem.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";

/** All values of one object together (1 MiB). */
const MAX_DATA_BYTES = 1_048_576;

/** What base64 stands for, without decoding it. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.replace(/[\r\n]/g, "").length * 3) / 4) - padding;
}

function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): StatusCause[] {
  const causes: StatusCause[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    const field = `data[${key}]`;
    causes.push(...invalidEach(field, key, checkConfigMapKey(key)));
    if (Object.hasOwn(binaryData, key)) causes.push(invalidValue(field, key, "duplicate of key present in binaryData"));
    bytes += utf8Length(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    causes.push(...invalidEach(`binaryData[${key}]`, key, checkConfigMapKey(key)));
    bytes += decodedLength(value ?? "");
  }
  if (bytes > MAX_DATA_BYTES) causes.push(tooLong("[]", MAX_DATA_BYTES));
  return causes;
}

/** An object marked immutable stays so, data included. */
function checkImmutable<T extends { immutable?: boolean }>(object: T, old: T, ...names: (keyof T & string)[]) {
  if (!old.immutable) return [];
  const why = "field is immutable when `immutable` is set";
  const causes = object.immutable ? [] : [fieldForbidden("immutable", why)];
  for (const name of names) {
    // An empty map is a change from none.
    if (!isEqual(object[name], old[name])) causes.push(fieldForbidden(name, why));
  }
  return causes;
}

/** Upstream's defaults never leave it without `data`. */
const withData = (configMap: ConfigMap): ConfigMap => ({ ...configMap, data: configMap.data ?? {} });

export const CONFIG_MAP_STRATEGY: Strategy<ConfigMap> = {
  checksMetaAgain: true,
  validate: validateConfigMap,
  validateUpdate: (configMap, old) => [
    ...checkImmutable(withData(configMap), withData(old), "data", "binaryData"),
    ...validateConfigMap(configMap),
  ],
};

const REQUIRED_KEYS: Record<string, string[]> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};
const JSON_KEYS: Record<string, string> = {
  "kubernetes.io/dockercfg": ".dockercfg",
  "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
};
const ACCOUNT_NAME = "kubernetes.io/service-account.name";

/** A JSON object; the message is that of Go's decoder. */
function checkJsonObject(base64: string): string | undefined {
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return "invalid character";
  }
  if (text.trim() === "") return "unexpected end of JSON input";
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    return explainBadJson(text);
  }
}

function checkSecretType({ metadata, type = "", data = {} }: Secret): StatusCause[] {
  const jsonKey = ownMember(JSON_KEYS, type);
  if (jsonKey !== undefined) {
    const field = `data[${jsonKey}]`;
    const value = data[jsonKey];
    if (value === undefined) return [required(field)];
    const error = checkJsonObject(value);
    return error ? [invalidValue(field, "<secret contents redacted>", error)] : [];
  }
  switch (type) {
    case "kubernetes.io/service-account-token":
      return metadata.annotations?.[ACCOUNT_NAME] ? [] : [required(`metadata.annotations[${ACCOUNT_NAME}]`)];
    case "kubernetes.io/basic-auth":
      return "username" in data || "password" in data ? [] : [required("data[username]"), required("data[password]")];
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required("data[ssh-privatekey]")];
    default:
      return (ownMember(REQUIRED_KEYS, type) ?? [])
        .filter((key) => !(key in data))
        .map((key) => required(`data[${key}]`));
  }
}

function validateSecret(secret: Secret): StatusCause[] {
  const causes: StatusCause[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    causes.push(...invalidEach(`data[${key}]`, key, checkConfigMapKey(key)));
    bytes += decodedLength(value ?? "");
  }
  if (bytes > MAX_DATA_BYTES) causes.push(tooLong("data", MAX_DATA_BYTES));
  return [...causes, ...checkSecretType(secret)];
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let start = 0; start < bytes.length; start += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  }
  return btoa(binary);
}

/** `stringData` is write-only: it goes into `data`, over what is there. Null is no bytes. */
function applySecretDefaults(secret: Secret): void {
  for (const [key, value] of Object.entries(secret.stringData ?? {})) {
    secret.data ??= {};
    secret.data[key] = toBase64(value);
  }
  delete secret.stringData;
  for (const [key, value] of Object.entries(secret.data ?? {})) if (value === null) secret.data![key] = "";
  secret.type ||= "Opaque";
}

/** A certificate or key of a TLS secret that is not even PEM; whether the two fit each other is not looked at. */
function warnings({ type, data = {} }: Secret): string[] {
  if (type !== "kubernetes.io/tls") return [];
  for (const [key, what] of [
    ["tls.crt", "certificate"],
    ["tls.key", "key"],
  ] as const) {
    if (pemBlockTypes(data[key]).length === 0) return [`tls: failed to find any PEM data in ${what} input`];
  }
  return [];
}

export const SECRET_STRATEGY: Strategy<Secret> = {
  checksMetaAgain: true,
  applyDefaults: applySecretDefaults,
  validate: validateSecret,
  validateUpdate: (secret, old) => [
    ...(secret.type === old.type ? [] : [invalidValue("type", secret.type ?? "", FIELD_IMMUTABLE)]),
    ...checkImmutable(secret, old, "data"),
    ...validateSecret(secret),
  ],
  warnings,
  fields: ({ type }) => ({ type: type ?? "" }),
};
