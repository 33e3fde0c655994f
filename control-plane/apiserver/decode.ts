import { isJsonObject, type Json, type JsonObject } from "../../shared/api/json.ts";
import { parseJsonNumbers } from "../../shared/api/json-numbers.ts";
import { explainBadJson } from "../../shared/api/json-syntax.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { type ApiError, badRequest, unsupportedMediaType } from "../../shared/api/status.ts";
import { decodeObject, findKind, lastOfRepeated, type ResourceFacts } from "../../shared/schema/index.ts";
import { goKind, jsonParseError, TYPE_META_FIELDS, unrecognized } from "./decode-error.ts";
import { INPUT_TYPES, inputFormat } from "./negotiation.ts";
import { isOlderKind } from "./older-versions.ts";
import { internalType } from "./response-object.ts";
import { explainBadYaml, parseYaml } from "./yaml/index.ts";

/** The kind that a body must have: the resource's own, or a subresource's (Scale, Binding). */
export interface ExpectedKind {
  group: string;
  version: string;
  kind: string;
}

/**
 * The JSON value of a body.
 * @param refuse makes the error of a text that is not of its type
 * @throws ApiError 415 for a type that cannot be read, 400 for a text that is not of that type
 */
export function parseBody(
  text: string,
  contentType: string | null,
  kind: string,
  refuse = (why: string): ApiError => unrecognized(kind, why, text),
): Json {
  const format = inputFormat(contentType);
  if (!format) throw unsupportedMediaType(INPUT_TYPES);
  if (format === "yaml") return readYaml(text, refuse);
  try {
    return parseJsonNumbers(text);
  } catch {
    throw refuse(jsonParseError(explainBadJson(text)));
  }
}

function readYaml(text: string, refuse: (why: string) => ApiError): Json {
  try {
    return (parseYaml(text) ?? {}) as Json;
  } catch (error) {
    throw refuse(`yaml: ${explainBadYaml(error, text)}`);
  }
}

const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';

/**
 * Checks that a body is of the expected kind; one that does not tell is taken to be.
 * @param body the text, which messages show a part of; given as a function where it first has to be made
 * @param alsoVersions other versions of the kind that are taken as if they were this one
 * @throws ApiError 400, in upstream's words
 */
export function checkTypeMeta(
  value: Json,
  expected: ExpectedKind,
  body: string | (() => string),
  alsoVersions: readonly string[] = [],
): KubeObject {
  const text = () => (typeof body === "string" ? body : body());
  if (value === null) return { metadata: { name: "" } };
  if (!isJsonObject(value)) {
    const why = `json: cannot unmarshal ${goKind(value)} into Go value of type ${TYPE_META_FIELDS}`;
    throw unrecognized(expected.kind, jsonParseError(why), text());
  }
  for (const field of ["apiVersion", "kind"] as const) {
    const member = value[field];
    if (member === undefined || member === null || typeof member === "string") continue;
    const why = `json: cannot unmarshal ${goKind(member)} into Go struct field .${field} of type string`;
    throw unrecognized(expected.kind, jsonParseError(why), text());
  }
  const apiVersion = (lastOfRepeated(value, "apiVersion") as string | undefined) || printVersion(expected);
  const kind = (lastOfRepeated(value, "kind") as string | undefined) || expected.kind;
  const isVersion = apiVersion === printVersion(expected) || alsoVersions.includes(apiVersion);
  if (!isVersion || kind !== expected.kind) {
    throw wrongKind({ ...value, apiVersion, kind }, expected, text());
  }
  value.apiVersion = printVersion(expected);
  value.kind = kind;
  if (value.metadata === undefined || value.metadata === null) value.metadata = {};
  return value as unknown as KubeObject;
}

const printVersion = ({ group, version }: { group: string; version: string }) =>
  group === "" ? version : `${group}/${version}`;

/** What is read as the kind that it claims to be has to be one. Undefined: it is. */
export function decodeErrorOf(schema: string, value: JsonObject): string | undefined {
  try {
    decodeObject(schema, value, "Ignore");
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message.replace(/^.* cannot be handled as a [^:]*: /, "");
  }
}

function wrongKind(got: JsonObject & { apiVersion: string; kind: string }, expected: ExpectedKind, body: string) {
  const parts = got.apiVersion.split("/");
  if (parts.length > 2) return unrecognized(expected.kind, `unexpected GroupVersion string: ${got.apiVersion}`, body);
  const [group, version] = parts.length === 2 ? (parts as [string, string]) : (["", parts[0]!] as const);
  const intro = `${got.kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}`;
  const known = findKind({ group, version, kind: got.kind.replace(/List$/, "") });
  if (known && known.kind !== expected.kind.replace(/List$/, "")) {
    const source = `${version}.${got.kind}`;
    const why = decodeErrorOf(known.schema, got);
    if (why !== undefined) return badRequest(`${intro}: ${why}`);
    return badRequest(`${intro}: converting (${source}) to (${internalType(expected)}): unknown conversion`);
  }
  const isOlder = isOlderKind({ group, version, kind: got.kind });
  if ((known || isOlder) && got.kind !== expected.kind) {
    return badRequest(
      `${intro}: converting (${version}.${got.kind}) to (${internalType(expected)}): unknown conversion`,
    );
  }
  if (known || isOlder) {
    return badRequest(
      `the API version in the data (${got.apiVersion}) does not match the expected API version (${printVersion(expected)})`,
    );
  }
  return badRequest(
    `${intro}: no kind ${JSON.stringify(got.kind)} is registered for version ${JSON.stringify(got.apiVersion)} ${SCHEME}`,
  );
}

export const expectedKindOf = ({ group, version, kind }: ResourceFacts): ExpectedKind => ({ group, version, kind });
