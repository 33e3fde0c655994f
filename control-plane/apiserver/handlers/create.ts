import { isJsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { alreadyExists, failure, invalid, type StatusCause } from "../../../shared/api/status.ts";
import { encodeStored } from "../../../shared/api/stored-object.ts";
import { zeroObjectOf } from "../../../shared/schema/index.ts";
import type { WriteOp } from "../../storage/interface.ts";
import { type AdmissionRequest, admit, validateAdmission } from "../admission/index.ts";
import { jsonAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { allocationContext, withClaims } from "../claims.ts";
import { clusterReader, forget } from "../cluster-reader.ts";
import { clusterWriter } from "../cluster-writer.ts";
import { dropEmptyFields, trackFields } from "../field-management.ts";
import { withAddresses } from "../held-addresses.ts";
import {
  dedupeOwnerReferences,
  fillSystemMetadata,
  generateName,
  matchNamespace,
  wipeSystemMetadata,
} from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import { parseWriteOptions, type WriteOptions } from "../query-options.ts";
import { readObject } from "../resource-body.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { objectAnswer, storedAnswer } from "../response-object.ts";
import { keyOf, storageOf, storedFacts } from "../stores.ts";
import { type Strategy, strategyFor, validateForCreate } from "../strategy/index.ts";
import { refusalError } from "../write-outcome.ts";
import { hasStatus, tracksGeneration } from "../write-rules.ts";

/** Names tried before the client is told to come again (upstream's RetryGenerateName). */
const MAX_NAME_ATTEMPTS = 8;

export const createObject: Handler = async (request) => {
  const options = parseWriteOptions(request.call.url.searchParams, "CreateOptions");
  const object = await readObject(request, options);
  wipeSystemMetadata(object.metadata);
  return createFrom(request, object, options);
};

/** Creates an object that has been decoded: from a body, or from an update or apply of a name that is not there. */
export async function createFrom(
  request: ResourceRequest,
  object: KubeObject,
  options: WriteOptions,
  { isTracked = false } = {},
): Promise<Answer> {
  request.attributes.dryRun = options.dryRun;
  matchNamespace(object, request.info.namespace || undefined);
  // A dry run goes past the storage that looks at it.
  const { resourceVersion = "" } = object.metadata;
  if (!options.dryRun && /^0*[1-9][0-9]*$/.test(resourceVersion)) {
    throw failure(500, "", "resourceVersion should not be set on objects to be created");
  }
  const { metadata } = object;
  const isGenerated = !metadata.name && metadata.generateName !== undefined && metadata.generateName !== "";
  if (!isTracked) trackFields(request, undefined, object);
  const strategy = strategyFor(request.facts);
  // Upstream's way in through the status gives out nothing.
  const allocate = request.info.subresource ? undefined : strategy.allocate;
  if (!allocate) return attempt(request, { object, isGenerated, dryRun: options.dryRun });
  const context = await allocationContext(request, options.dryRun);
  return withClaims(request, context, () => {
    const candidate = copyJson(object);
    return attempt(request, {
      object: candidate,
      isGenerated,
      dryRun: options.dryRun,
      allocate: () => allocate(candidate, undefined, context),
    });
  });
}

interface Creation {
  /** Changed in place. */
  object: KubeObject;
  /** The server made up the name. */
  isGenerated: boolean;
  dryRun: boolean;
  allocate?: () => StatusCause[];
}

async function attempt(request: ResourceRequest, creation: Creation): Promise<Answer> {
  const { object, isGenerated } = creation;
  const strategy = strategyFor(request.facts);
  await prepare(request, strategy, creation);
  if (creation.dryRun) return dryRun(request, object);
  const { op, result } = await store(request, strategy, creation);
  if (!result.ok) {
    const { name } = object.metadata;
    throw result.reason === "exists" && isGenerated
      ? generatedNameTaken(request, name)
      : refusalError(result, groupResourceOf(request), name);
  }
  forget(request.context.cluster, storageOf(request.facts), op.key);
  if (request.call.answersNobody) return jsonAnswer(201, "");
  return storedAnswer(request, 201, { key: op.key, revision: result.revision, value: op.value });
}

/** Writes it; under another name, if one that the server made up is taken. */
async function store(request: ResourceRequest, strategy: Strategy, { object, isGenerated }: Creation) {
  const { metadata } = object;
  for (let attempts = 1; ; attempts++) {
    const op = createOp(request, strategy, object);
    const result = await withAddresses(request, { after: object }, () => storeFor(request).write(op));
    const isTaken = !result.ok && result.reason === "exists" && isGenerated;
    if (!isTaken || attempts >= MAX_NAME_ATTEMPTS) return { op, result };
    metadata.name = generateName(metadata.generateName!);
  }
}

/** Admission, the server's own fields, validation: the object is then as it will be stored. */
async function prepare(
  request: ResourceRequest,
  strategy: Strategy,
  { object, isGenerated, allocate }: Creation,
): Promise<void> {
  const { facts, context, attributes, warnings } = request;
  // Without a name it is refused in the end; until then every rule may take it for a text.
  object.metadata.name ??= "";
  const duplicates = dedupeOwnerReferences(object.metadata);
  if (duplicates) warnings.push(duplicates);
  const admission: AdmissionRequest = {
    operation: "CREATE",
    attributes,
    user: context.user,
    object,
    reader: clusterReader(context.env, context.cluster),
    writer: clusterWriter(context.env, context.cluster),
    causes: [],
    warn: (text) => warnings.push(text),
  };
  await admit(admission);
  // Plugins that change the object do not know a generated name yet, and refuse it by the prefix; those that only look do.
  if (isGenerated) object.metadata.name = generateName(object.metadata.generateName!);
  fillSystemMetadata(object.metadata, { uid: crypto.randomUUID(), nowMs: Date.now() });
  if (hasStatus(facts)) object.status = (facts.resource === "nodes" && object.status) || zeroStatus(request);
  if (tracksGeneration(facts, strategy)) object.metadata.generation = 1;
  strategy.prepareForCreate?.(object, context.user);
  refuseInvalid(request, object, allocate?.());
  refuseInvalid(request, object, [...admission.causes, ...validateForCreate(strategy, object, facts.namespaced)]);
  if (strategy.warnings) warnings.push(...strategy.warnings(object));
  await validateAdmission(admission);
}

/** What a status holds before anybody has written it. */
function zeroStatus({ facts }: ResourceRequest): object {
  const { status } = zeroObjectOf(storedFacts(facts).schema);
  return isJsonObject(status) ? status : {};
}

function refuseInvalid({ facts }: ResourceRequest, { metadata }: KubeObject, causes: StatusCause[] = []): void {
  if (causes.length > 0) throw invalid(storedFacts(facts), metadata.name ?? "", causes);
}

function createOp(request: ResourceRequest, strategy: Strategy, object: KubeObject): WriteOp & { op: "create" } {
  const claims = strategy.claims?.(object);
  dropEmptyFields(request, object, "stored");
  return {
    op: "create",
    key: keyOf(request.info.namespace, object.metadata.name),
    uid: object.metadata.uid!,
    attributes: { labels: object.metadata.labels ?? {}, fields: strategy.fields?.(object) ?? {} },
    value: encodeStored(object),
    ...(claims ? { claims } : {}),
  };
}

async function dryRun(request: ResourceRequest, object: KubeObject): Promise<Answer> {
  const { name } = object.metadata;
  const existing = await storeFor(request).get(keyOf(request.info.namespace, name));
  if (existing) throw alreadyExists(groupResourceOf(request), name);
  dropEmptyFields(request, object, "stored");
  return objectAnswer(request, 201, object);
}

const generatedNameTaken = (request: ResourceRequest, name: string) => {
  const { status } = alreadyExists(groupResourceOf(request), name);
  return failure(
    409,
    "AlreadyExists",
    `${status.message}, the server was not able to generate a unique name for the object`,
    { ...status.details, retryAfterSeconds: 1 },
  );
};
