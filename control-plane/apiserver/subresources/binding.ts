import type { KubeObject, ObjectMeta } from "../../../shared/api/object.ts";
import { badRequest, conflict, failure, notFound } from "../../../shared/api/status.ts";
import { decodeStored, encodeStored } from "../../../shared/api/stored-object.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import { findResource } from "../../../shared/schema/index.ts";
import { valueAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { forget } from "../cluster-reader.ts";
import { storageError, unmetUid } from "../handlers/update-object.ts";
import { matchNamespace } from "../object-metadata.ts";
import { parseWriteOptions } from "../query-options.ts";
import type { Handler, ResourceRequest } from "../resource-request.ts";
import { keyOf, storeOf } from "../stores.ts";
import { strategyFor, validateBinding } from "../strategy/index.ts";
import { readTyped } from "../typed-body.ts";

const PODS = { group: "", resource: "pods" };
const BINDING = { group: "", version: "v1", kind: "Binding", schema: "io.k8s.api.core.v1.Binding" };
const MAX_ATTEMPTS = 5;

interface Binding extends KubeObject {
  target?: { kind?: string; name?: string };
}

interface Pod extends KubeObject {
  spec?: { nodeName?: string; schedulingGates?: unknown[] };
  status?: { conditions?: Condition[]; nominatedNodeName?: string };
}

interface Condition {
  type: string;
  status: string;
  [field: string]: unknown;
}

/** `pods/<name>/binding`, and `bindings` with the pod's name in the body: puts a pod on a node, once. */
export const createBinding: Handler = async (request) => {
  const { call, info } = request;
  const { dryRun, fieldValidation } = parseWriteOptions(call.url.searchParams, "CreateOptions");
  const object = await readTyped(request, BINDING, fieldValidation);
  const binding = { metadata: { name: "" }, ...object } as Binding;
  matchNamespace(binding, info.namespace);
  const { name: node = "" } = binding.target ?? {};
  const name = info.subresource ? info.name : (binding.metadata.name ?? "");
  if (name === "") throw badRequest("Name parameter required.");
  if (binding.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
  const causes = validateBinding(binding);
  // Upstream answers with a bare 500.
  if (causes.length > 0) throw failure(500, "", causes.map(({ field, message }) => `${field}: ${message}`).join(", "));
  return bind(request, { binding, name, node, dryRun });
};

async function bind(
  { context, info, output }: ResourceRequest,
  { binding, name, node, dryRun }: { binding: Binding; name: string; node: string; dryRun: boolean },
): Promise<Answer> {
  const store = storeOf(context.env, context.cluster, PODS);
  const key = keyOf(info.namespace, name);
  const strategy = strategyFor(findResource({ ...PODS, version: "v1" })!);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.get(key);
    if (!stored) throw notFound(PODS, name);
    const pod = decodeStored<Pod>(stored.value, stored.revision);
    const unmet = unmetPrecondition(binding.metadata, pod.metadata);
    if (unmet)
      throw conflict(
        PODS,
        name,
        storageError({ resource: PODS.resource, namespace: info.namespace, name, dryRun }, unmet),
      );
    assign(pod, binding, node);
    if (dryRun) return bound(output);
    const result = await store.write({
      op: "update",
      key,
      expectRevision: stored.revision,
      value: encodeStored(pod),
      attributes: { labels: pod.metadata.labels ?? {}, fields: strategy.fields?.(pod) ?? {} },
    });
    forget(context.cluster, PODS, key);
    if (result.ok) return bound(output);
    if (result.reason === "notFound") throw notFound(PODS, name);
  }
  throw refused(name, "the pod kept changing while it was bound");
}

const bound = (output: ResourceRequest["output"]) =>
  valueAnswer(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, output);

/** @returns what storage says of the first that is not met */
function unmetPrecondition({ uid, resourceVersion }: Partial<ObjectMeta>, found: ObjectMeta): string | undefined {
  if (resourceVersion && resourceVersion !== found.resourceVersion) {
    return `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${found.resourceVersion}`;
  }
  return uid && uid !== found.uid ? unmetUid(uid, found.uid) : undefined;
}

const refused = (name: string, why: string) => conflict({ group: "", resource: "pods/binding" }, name, why);

/** @throws ApiError 409 for a pod that cannot be put on a node, any more or yet */
function assign(pod: Pod, { metadata: wanted }: Binding, node: string): void {
  const { metadata, spec = {}, status = {} } = pod;
  const { name } = metadata;
  if (metadata.deletionTimestamp) throw refused(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) throw refused(name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0) throw refused(name, `pod ${name} has non-empty .spec.schedulingGates`);
  pod.spec = { ...spec, nodeName: node };
  if (wanted.annotations) metadata.annotations = { ...metadata.annotations, ...wanted.annotations };
  if (wanted.labels) metadata.labels = { ...metadata.labels, ...wanted.labels };
  const scheduled: Condition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: printTime(Date.now()),
  };
  const { conditions = [], nominatedNodeName: _, ...kept } = status;
  const others = conditions.filter(({ type }) => type !== "PodScheduled");
  // It has its node: the one promised to it is of no interest any more (KEP-5278).
  pod.status = { ...kept, conditions: [...others, scheduled] };
}
