import type { KubeObject } from "./object.ts";

/** What marks an IngressClass as the default one. */
export const DEFAULT_INGRESS_CLASS = ["ingressclass.kubernetes.io/is-default-class"];
/** What marks a StorageClass as the default one. */
export const DEFAULT_STORAGE_CLASS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** Name of the newest class that one of the annotations marks; among those of one second the first by name. */
export function defaultClass(classes: KubeObject[], annotations: string[]): string | undefined {
  const marked = classes.filter(({ metadata }) => annotations.some((key) => metadata.annotations?.[key] === "true"));
  const madeAt = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? "";
  const nameOf = ({ metadata }: KubeObject) => metadata.name;
  const [first] = marked.sort((a, b) => {
    if (madeAt(a) !== madeAt(b)) return madeAt(a) > madeAt(b) ? -1 : 1;
    return nameOf(a) < nameOf(b) ? -1 : 1;
  });
  return first && nameOf(first);
}
