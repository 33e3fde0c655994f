import type { PodTemplateSpec } from "../../../shared/api/types.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The label by which a ReplicaSet and its pods are told from those of other templates. */
export const POD_TEMPLATE_HASH = "pod-template-hash";

/** Whether two templates say the same, the hash label apart. */
export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return textOf(a) === textOf(b);
}

const texts = new WeakMap<PodTemplateSpec, string>();

function textOf(template: PodTemplateSpec): string {
  let text = texts.get(template);
  if (text === undefined) {
    const { [POD_TEMPLATE_HASH]: _hash, ...labels } = template.metadata?.labels ?? {};
    text = canonicalJson({ ...template, metadata: { ...template.metadata, labels } });
    texts.set(template, text);
  }
  return text;
}
