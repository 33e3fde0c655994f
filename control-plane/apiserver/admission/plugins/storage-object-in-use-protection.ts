import { type AdmissionPlugin, targetOf } from "../plugin.ts";

/** What keeps an object of storage while it is in use, by resource; controllers of the same names take it off again. */
const FINALIZERS: Record<string, string> = {
  persistentvolumes: "kubernetes.io/pv-protection",
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
};

/** Gives new volumes, claims and attributes classes the finalizer that outlasts their use (KEP-498). */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",

  admit({ operation, attributes, object }) {
    const finalizer = FINALIZERS[targetOf(attributes)];
    if (operation !== "CREATE" || finalizer === undefined) return;
    const { metadata } = object!;
    const present = metadata.finalizers ?? [];
    if (!present.includes(finalizer)) metadata.finalizers = [...present, finalizer];
  },
};
