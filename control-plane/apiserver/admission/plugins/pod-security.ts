import { invalid } from "../../../../shared/api/status.ts";
import type { Container, CronJob, PodSpec, PodTemplateSpec } from "../../../../shared/api/types.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse, targetOf } from "../plugin.ts";
import {
  evaluate,
  isSame,
  isStricter,
  type LevelVersion,
  type PodLike,
  type Policy,
  printLevel,
  printViolations,
  readPolicy,
  warnOfExistingPods,
} from "../pod-security/index.ts";

const NAMESPACES = { group: "", resource: "namespaces" };
const PODS = { group: "", resource: "pods" };

/** Subresources of pods that can change what is checked. */
const CHECKED_PARTS = new Set(["pods", "pods/ephemeralcontainers", "pods/resize"]);

/** Kinds that hold a template; their own name is never refused, for the pods are. */
const TEMPLATES = new Set([
  "replicationcontrollers",
  "podtemplates",
  "replicasets.apps",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
]);

/** Holds pods to the level that their namespace's labels ask for (KEP-2579). */
export const podSecurity: AdmissionPlugin = {
  name: "PodSecurity",

  validate(request) {
    if (request.operation === "DELETE") return;
    const target = targetOf(request.attributes);
    if (target === "namespaces") return checkNamespace(request);
    if (CHECKED_PARTS.has(target)) return checkPod(request);
    if (TEMPLATES.has(target)) return warnOfTemplate(request, target);
  },
};

/** The labels must be valid where they change; stricter ones are tried on the pods that are there. */
async function checkNamespace({ operation, object, old, reader, warn }: AdmissionRequest): Promise<void> {
  const { name, labels } = object!.metadata;
  const now = readPolicy(labels);
  const before = readPolicy(old?.metadata.labels);
  if (now.causes.length > 0 && JSON.stringify(now.causes) !== JSON.stringify(before.causes)) {
    throw invalid({ group: "", kind: "Namespace" }, name, now.causes);
  }
  if (operation !== "UPDATE" || !needsTrial(now.policy.enforce, before.policy.enforce)) return;
  for (const warning of warnOfExistingPods(name, await reader.list(PODS, name), now.policy.enforce)) warn(warning);
}

function needsTrial(now: LevelVersion, before: LevelVersion): boolean {
  if (isSame(now, before) || now.level === "privileged") return false;
  return now.minor !== before.minor || isStricter(now.level, before.level);
}

async function policyOf({ attributes, reader }: AdmissionRequest): Promise<Policy> {
  const namespace = await reader.get(NAMESPACES, attributes.namespace ?? "");
  return readPolicy(namespace?.metadata.labels).policy;
}

async function checkPod(request: AdmissionRequest): Promise<void> {
  const { operation, object, old } = request;
  const pod = object as unknown as PodLike;
  if (operation === "UPDATE" && !isSignificant(pod.spec, (old as unknown as PodLike).spec)) return;
  const policy = await policyOf(request);
  const violations = evaluate(pod, policy.enforce);
  if (violations.length > 0) {
    throw refuse(request, `violates PodSecurity "${printLevel(policy.enforce)}": ${printViolations(violations)}`);
  }
  warnOf(pod, policy, request);
}

/** Other than images and ephemeral containers nothing that is checked can change. */
function isSignificant(spec: PodSpec, old: PodSpec): boolean {
  const imagesOf = (list: { image?: string }[] = []) => list.map(({ image = "" }) => image).join(" ");
  if (imagesOf(spec.containers) !== imagesOf(old.containers)) return true;
  if (imagesOf(spec.initContainers) !== imagesOf(old.initContainers)) return true;
  const before = (old.ephemeralContainers ?? []) as Container[];
  return ((spec.ephemeralContainers ?? []) as Container[]).some(
    ({ name, image }) => before.find((container) => container.name === name)?.image !== image,
  );
}

async function warnOfTemplate(request: AdmissionRequest, target: string): Promise<void> {
  const template = templateOf(request, target);
  if (template?.spec) warnOf({ metadata: template.metadata, spec: template.spec }, await policyOf(request), request);
}

function templateOf({ object }: AdmissionRequest, target: string): PodTemplateSpec | undefined {
  if (target === "podtemplates") return (object as { template?: PodTemplateSpec }).template;
  if (target === "cronjobs.batch") return (object as unknown as CronJob).spec?.jobTemplate.spec?.template;
  return (object!.spec as { template?: PodTemplateSpec } | undefined)?.template;
}

function warnOf(pod: PodLike, { warn: level }: Policy, { warn }: AdmissionRequest): void {
  const violations = evaluate(pod, level);
  if (violations.length > 0) warn(`would violate PodSecurity "${printLevel(level)}": ${printViolations(violations)}`);
}
