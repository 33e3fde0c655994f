import { invalidValue, NOT_NEGATIVE } from "../../../shared/api/field-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../shared/api/object.ts";
import {
  type LabelSelectorObject,
  printLabelSelector,
  requirementsOf,
  requirementsOfMap,
} from "../../../shared/api/selector.ts";
import { badRequest, conflict, failure, invalid, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { decodeObject, type FieldValidation, resolve, schemaOf } from "../../../shared/schema/index.ts";
import { valueAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { checkTypeMeta } from "../decode.ts";
import { managerOf } from "../field-management.ts";
import { checkDuplicates, parseConfig } from "../handlers/apply.ts";
import { attempts } from "../handlers/attempts.ts";
import { patchValue, type ReadPatch, readPatch } from "../handlers/patch.ts";
import { unmetUid, writeUpdate } from "../handlers/update-object.ts";
import { mainPart } from "../handlers/update-parts.ts";
import { entriesOfScale, entriesOfWorkload, trackApply, trackUpdate } from "../managed-fields/index.ts";
import { matchName, matchNamespace } from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import { patchLanguageOf } from "../patch/index.ts";
import { quotePatched } from "../patch/patched-object.ts";
import { parsePatchOptions, parseWriteOptions } from "../query-options.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
import { readStored, transformObject } from "../response-object.ts";
import { keyOf } from "../stores.ts";
import { readTyped } from "../typed-body.ts";

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };
const SCALE_VERSION = "autoscaling/v1";
const SCALE_SCHEMA = "io.k8s.api.autoscaling.v1.Scale";

/** `<workload>/scale` (autoscaling/v1 Scale): the number of replicas, the same for every kind that has one. */
export const getScale: Handler = async (request) => {
  const stored = await read(request);
  return scaleAnswer(request, scaleOf(readStored(request.facts, stored)));
};

export const updateScale: Handler = async (request) => {
  const { call, info } = request;
  const { dryRun, fieldValidation } = parseWriteOptions(call.url.searchParams, "UpdateOptions");
  const object = await readTyped(request, { ...SCALE, schema: SCALE_SCHEMA }, fieldValidation);
  const scale = { metadata: {}, ...object } as unknown as KubeObject;
  matchName(scale, info.name);
  return write(request, dryRun, () => ({ scale }));
};

export const patchScale: Handler = async (request) => {
  if (patchLanguageOf(request.call.headers.get("content-type") ?? "") === "apply") return applyScale(request);
  const { dryRun, fieldValidation } = parseWriteOptions(request.call.url.searchParams, "PatchOptions");
  const { parsed, duplicates } = await readPatch(request);
  return write(request, dryRun, (current, entries) => {
    const value = patchValue(parsed, withManagers(current, entries), SCALE_SCHEMA);
    const { scale, unknownFields } = decodePatched(value, fieldValidation, { parsed, duplicates });
    request.warnings.push(...unknownFields);
    matchName(scale, request.info.name);
    const { uid } = scale.metadata;
    if (uid && uid !== current.metadata.uid) {
      const { group, resource } = request.facts;
      const target = { group, resource: `${resource}/scale` };
      throw conflict(target, request.info.name, unmetUid(uid, current.metadata.uid));
    }
    return { scale };
  });
};

/** Server-side apply: the Scale's managers are the workload's, seen from here. */
async function applyScale(request: ResourceRequest): Promise<Answer> {
  const { call, facts, info } = request;
  const { dryRun, force, fieldValidation } = parsePatchOptions(call.url.searchParams, true);
  const text = await call.body("Scale");
  const config = parseConfig(text);
  return write(request, dryRun, (current, entries) => {
    requireScale(config);
    const applied = trackApply({
      live: withManagers(current, entries),
      config: copyJson(config),
      schema: schemaOf(SCALE_SCHEMA),
      schemaName: SCALE_SCHEMA,
      resolve,
      manager: managerOf(call),
      apiVersion: SCALE_VERSION,
      kind: SCALE.kind,
      subresource: "scale",
      force,
      nowMs: Date.now(),
    });
    const { scale } = decodeScale(applied);
    matchName(scale, info.name);
    checkDuplicates(request, text, fieldValidation);
    const { apiVersion } = typeMetaOf(facts);
    return { scale, managedFields: entriesOfWorkload(entries, scale.metadata.managedFields, apiVersion) };
  });
}

/** An answer has no managers, but who writes a Scale sees those of its workload. */
const withManagers = (scale: KubeObject, entries: ManagedFieldsEntry[] | undefined): KubeObject => ({
  ...scale,
  metadata: { ...scale.metadata, managedFields: entriesOfScale(entries) },
});

function requireScale({ apiVersion = "", kind = "" }: JsonObject): void {
  if (apiVersion === SCALE_VERSION && kind === SCALE.kind) return;
  const version = String(apiVersion);
  throw badRequest(`invalid object type: ${version.includes("/") ? version : `${version}/`}, Kind=${String(kind)}`);
}

interface DecodedScale {
  scale: KubeObject;
  /** For the Warning header. */
  unknownFields: string[];
}

function decodeScale(value: Json, mode: FieldValidation = "Ignore", duplicates: string[] = []): DecodedScale {
  const typed = checkTypeMeta(value, SCALE, "");
  const { object, unknownFields } = decodeObject(SCALE_SCHEMA, typed as unknown as Json, mode, duplicates);
  return { scale: object as unknown as KubeObject, unknownFields };
}

/** @throws ApiError 422 when the patch left no Scale */
function decodePatched(value: Json, mode: FieldValidation, { parsed, duplicates }: ReadPatch): DecodedScale {
  try {
    return decodeScale(value, mode, duplicates);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = error.message.replace(/^.* cannot be handled as a [^:]*: /, "");
    const cause = invalidValue(
      "patch",
      quotePatched(parsed, () => value),
      why,
    );
    throw failure(422, "Invalid", ` "" is invalid: patch: ${cause.message}`, { causes: [cause] });
  }
}

function scaleAnswer(request: ResourceRequest, scale: KubeObject): Answer {
  if (!request.output.as) return valueAnswer(200, scale, request.output);
  const facts = { ...request.facts, ...SCALE, resource: "scales" };
  return valueAnswer(200, transformObject({ ...request, facts }, scale), request.output);
}

async function read(request: ResourceRequest) {
  const { namespace, name } = request.info;
  const stored = await storeFor(request).get(keyOf(namespace, name));
  if (!stored) throw notFound(groupResourceOf(request), name);
  return stored;
}

interface Change {
  scale: KubeObject;
  /** The workload's, when the change has seen to them already. */
  managedFields?: ManagedFieldsEntry[];
}

/** @param change the scale that is wanted, from the present one and the workload's managers */
async function write(
  request: ResourceRequest,
  dryRun: boolean,
  change: (current: KubeObject, entries: ManagedFieldsEntry[] | undefined) => Change,
): Promise<Answer> {
  const { facts, info } = request;
  for await (const _ of attempts(request)) {
    const stored = await read(request);
    const old = readStored(facts, stored);
    const current = scaleOf(old);
    const { scale: wanted, managedFields } = change(copyJson(current), old.metadata.managedFields);
    matchNamespace(wanted, info.namespace);
    const { resourceVersion, uid } = wanted.metadata;
    const replicas = ((wanted.spec ?? {}) as { replicas?: number | null }).replicas ?? 0;
    if (replicas < 0) {
      throw invalid(SCALE, info.name, [invalidValue("spec.replicas", replicas, NOT_NEGATIVE)]);
    }
    const object = copyJson(old);
    object.spec = { ...(object.spec as JsonObject), replicas };
    object.metadata.resourceVersion = resourceVersion || old.metadata.resourceVersion;
    if (uid) object.metadata.uid = uid;
    object.metadata.managedFields =
      managedFields ?? entriesAfter(request, { current, wanted, replicas }, old.metadata.managedFields);
    const outcome = await writeUpdate(request, {
      ...{ object, old, stored, part: mainPart(facts), dryRun, isTracked: true },
      checksUid: true,
    });
    if (outcome) {
      const written = "stored" in outcome ? readStored(facts, outcome.stored) : outcome.object;
      return scaleAnswer(request, scaleOf(written));
    }
    const isPinned = resourceVersion && resourceVersion !== current.metadata.resourceVersion;
    if (isPinned) break;
  }
  throw conflict(groupResourceOf(request), info.name, OBJECT_MODIFIED);
}

/**
 * The workload's managers after a put or a patch of its Scale. The Scale's are followed, as upstream does it: no
 * replicas at all, which is how a Scale writes 0, is nobody's.
 */
function entriesAfter(
  { call, facts }: ResourceRequest,
  { current, wanted, replicas }: { current: KubeObject; wanted: KubeObject; replicas: number },
  entries: ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] | undefined {
  if (!entries?.length) return entries;
  const before = withManagers(current, entries);
  const tracked = trackUpdate({
    before,
    after: { ...wanted, spec: replicas === 0 ? {} : { replicas } },
    schema: schemaOf(SCALE_SCHEMA),
    schemaName: SCALE_SCHEMA,
    resolve,
    manager: managerOf(call),
    apiVersion: SCALE_VERSION,
    subresource: "scale",
    nowMs: Date.now(),
  });
  return entriesOfWorkload(entries, tracked ?? before.metadata.managedFields, typeMetaOf(facts).apiVersion);
}

/** The Scale view of a workload. */
export function scaleOf({ metadata, spec, status }: KubeObject): KubeObject {
  const { replicas = 1, selector } = (spec ?? {}) as { replicas?: number; selector?: LabelSelectorObject };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const printed = printSelector(selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: ((status ?? {}) as { replicas?: number }).replicas ?? 0,
      ...(printed === "" ? {} : { selector: printed }),
    },
  };
}

/** A ReplicationController's selector is a plain map; all others have a LabelSelector. */
function printSelector(selector: LabelSelectorObject | undefined): string {
  if (!isJsonObject(selector)) return "";
  const isObject = "matchLabels" in selector || "matchExpressions" in selector;
  return printLabelSelector(
    isObject ? requirementsOf(selector) : requirementsOfMap(selector as unknown as Record<string, string>),
  );
}
