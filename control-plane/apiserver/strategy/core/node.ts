import {
  duplicate,
  fieldForbidden,
  invalidEach,
  invalidValue,
  quote,
  required,
} from "../../../../shared/api/field-error.ts";
import { parseCidr, printCidr } from "../../../../shared/api/ip.ts";
import { explainBadJson } from "../../../../shared/api/json-syntax.ts";
import { checkLabelValue, checkQualifiedName } from "../../../../shared/api/names.ts";
import { parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Node, Taint } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { checkLegacyCidr, isDualStack } from "../ip-rules.ts";
import { checkTaintEffect } from "../pod-spec/index.ts";
import { checkResourceQuantity } from "../pod-spec/resources.ts";
import type { Strategy } from "../strategy.ts";

function checkTaints(taints: Taint[], path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const field = `${path}[${index}]`;
    const { key = "", value = "", effect = "" } = taint;
    causes.push(...invalidEach(`${field}.key`, key, checkQualifiedName(key)));
    const messages = checkLabelValue(value);
    if (messages.length > 0) causes.push(invalidValue(`${field}.value`, value, messages.join(";")));
    if (effect === "") causes.push(required(`${field}.effect`));
    else causes.push(...checkTaintEffect(effect, `${field}.effect`));
    const id = `${effect}/${key}`;
    if (seen.has(id)) {
      const cause = duplicate(field, { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null });
      cause.message += ": taints must be unique by key and effect pair";
      causes.push(cause);
    }
    seen.add(id);
  }
  return causes;
}

const AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods";
const AVOID_PODS_FIELD = "metadata.annotations.AvoidPods";

interface AvoidPods {
  preferAvoidPods?: { podSignature?: { podController?: { controller?: boolean } } }[] | null;
}

/** An annotation of old: read still, although nothing acts on it any more. */
function checkAvoidPods({ metadata }: Node): StatusCause[] {
  const text = metadata.annotations?.[AVOID_PODS];
  if (!text) return [];
  let avoid: AvoidPods | null;
  try {
    avoid = JSON.parse(text) as AvoidPods | null;
  } catch {
    return [invalidValue(AVOID_PODS_FIELD, AVOID_PODS, explainBadJson(text))];
  }
  const entries = avoid?.preferAvoidPods;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) => {
    const signature = `metadata.annotations.${AVOID_PODS}[${index}].PodSignature`;
    const controller = entry?.podSignature?.podController;
    if (!controller) return [required(signature)];
    return controller.controller
      ? []
      : [invalidValue(`${signature}.PodController.Controller`, false, "must point to a controller")];
  });
}

function checkAmounts({ status }: Node): StatusCause[] {
  return (["capacity", "allocatable"] as const).flatMap((list) =>
    Object.entries(status?.[list] ?? {}).flatMap(([name, text]) =>
      checkResourceQuantity(name, parseQuantity(text), `status.${list}.${name}`),
    ),
  );
}

const FEATURE_NAME = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const MAX_FEATURE_NAME = 253;

function explainFeature(name: string): string | undefined {
  const bad = `invalid feature name ${quote(name)}`;
  if (name.length > MAX_FEATURE_NAME) return `${bad}: must be no more than ${MAX_FEATURE_NAME} characters`;
  if (FEATURE_NAME.test(name)) return undefined;
  return `${bad}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

/** Features that the kubelet says it has (KEP-5328): a sorted list without repetitions. */
function checkFeatures({ status }: Node): StatusCause[] {
  const features = status?.declaredFeatures ?? [];
  return features.flatMap((feature, index) => {
    const causes: StatusCause[] = [];
    const before = features[index - 1];
    const field = `status.declaredFeatures[${index}]`;
    if (before === feature) causes.push(duplicate(field, feature));
    else if (before !== undefined && before > feature) {
      causes.push(invalidValue(field, feature, "list must be sorted alphabetically"));
    }
    const why = explainFeature(feature);
    if (why) causes.push(invalidValue(field, feature, why));
    return causes;
  });
}

/** Under the path that upstream gives it. */
function checkSwap({ status }: Node): StatusCause[] {
  const capacity = status?.nodeInfo?.swap?.capacity;
  if (capacity === undefined || capacity > 0) return [];
  return [invalidValue("metadata.nodeSwapStatus.capacity", capacity, "must be greater than zero")];
}

function validate(node: Node): StatusCause[] {
  const { taints = [], podCIDRs = [] } = node.spec ?? {};
  const causes = [...checkAvoidPods(node), ...checkTaints(taints, "metadata.taints"), ...checkAmounts(node)];
  causes.push(...checkSwap(node), ...checkFeatures(node));
  const field = "spec.podCIDRs";
  for (const [index, cidr] of podCIDRs.entries()) causes.push(...checkLegacyCidr(cidr, `${field}[${index}]`));
  if (podCIDRs.length > 1 && !isDualStack(podCIDRs)) {
    causes.push(invalidValue(field, podCIDRs, "may specify no more than one CIDR for each IP family"));
  }
  return causes;
}

const CHANGED = (name: string) => `node updates may not change ${name} except from "" to valid`;

function checkUpdate(node: Node, old: Node): StatusCause[] {
  const causes = [...checkAvoidPods(node), ...checkAmounts(node), ...checkFeatures(node)];
  const addresses = new Set<string>();
  for (const [index, { type, address }] of (node.status?.addresses ?? []).entries()) {
    const key = `${type}/${address}`;
    if (addresses.has(key)) causes.push(duplicate(`status.addresses[${index}]`, { Type: type, Address: address }));
    addresses.add(key);
  }
  const before = old.spec?.podCIDRs ?? [];
  const now = node.spec?.podCIDRs ?? [];
  if (before.length > 0 && before.length !== now.length) {
    causes.push(fieldForbidden("spec.podCIDRs", CHANGED("podCIDR")));
  } else {
    for (const [index, cidr] of before.entries()) {
      if (cidr !== now[index]) causes.push(fieldForbidden("spec.podCIDRs", CHANGED("podCIDR")));
    }
  }
  if (old.spec?.providerID && old.spec.providerID !== node.spec?.providerID) {
    causes.push(fieldForbidden("spec.providerID", CHANGED("providerID")));
  }
  causes.push(...checkTaints(node.spec?.taints ?? [], "metadata.taints"));
  if (!isEqual(node.spec?.externalID ?? "", old.spec?.externalID ?? "")) {
    causes.push(fieldForbidden("spec.externalID", "may not be updated"));
  }
  return causes;
}

/** `podCIDR` and `podCIDRs` say the same, and the older field has the last word; the kubelet's capacity stands for what is not said of allocatable. */
function applyDefaults(node: Node): void {
  node.spec ??= {};
  const { spec, status } = node;
  if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (spec.podCIDRs?.length && !spec.podCIDR) spec.podCIDR = spec.podCIDRs[0];
  if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
}

function nodeWarnings(node: Node): string[] {
  const { spec } = node;
  const warnings: string[] = [];
  if (spec?.configSource) warnings.push("spec.configSource: the feature is removed since v1.24");
  if (spec?.externalID) warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  return warnings;
}

export const NODE_STRATEGY: Strategy<Node> = {
  checksMetaAgain: true,
  applyDefaults,
  prepareForCreate: (node) => {
    if (node.spec) delete node.spec.configSource;
    if (node.status) delete node.status.config;
  },
  prepareForUpdate: (node, old) => {
    if (!old.spec?.configSource) delete node.spec?.configSource;
  },
  prepareForStatusUpdate: (node, old) => {
    if (!old.status?.config) delete node.status?.config;
  },
  validate,
  validateUpdate: (node, old) => [...validate(node), ...checkUpdate(node, old)],
  validateStatusUpdate: checkUpdate,
  warnings: nodeWarnings,
  // In one spelling: two nodes with the same range would take each other's packets.
  claims: ({ spec }) =>
    (spec?.podCIDRs ?? []).map((cidr) => {
      const range = parseCidr(cidr);
      return `podCIDR/${range ? printCidr(range) : cidr}`;
    }),
  fields: ({ spec }) => ({ "spec.unschedulable": String(spec?.unschedulable ?? false) }),
  tracksGeneration: false,
};
