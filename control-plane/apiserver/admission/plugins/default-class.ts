import { DEFAULT_INGRESS_CLASS, DEFAULT_STORAGE_CLASS, defaultClass } from "../../../../shared/api/default-class.ts";
import { INGRESS_CLASSES, STORAGE_CLASSES } from "../../../../shared/api/refs.ts";
import type { IngressSpec, PersistentVolumeClaimSpec } from "../../../../shared/api/types.ts";
import { BETA_STORAGE_CLASS } from "../../strategy/index.ts";
import { type AdmissionPlugin, specOf, targetOf } from "../plugin.ts";

const INGRESS_CLASS_ANNOTATION = "kubernetes.io/ingress.class";

/** Gives a new claim that asks for no storage class, not even for none (""), the cluster's default class. */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",

  async admit({ operation, attributes, object, reader }) {
    if (operation !== "CREATE" || targetOf(attributes) !== "persistentvolumeclaims") return;
    const spec = specOf(object!) as PersistentVolumeClaimSpec;
    if (object!.metadata.annotations?.[BETA_STORAGE_CLASS] !== undefined) return;
    if (spec.storageClassName !== undefined && spec.storageClassName !== null) return;
    const name = defaultClass(await reader.list(STORAGE_CLASSES), DEFAULT_STORAGE_CLASS);
    if (name !== undefined) spec.storageClassName = name;
  },
};

/** Gives a new Ingress without a class, by field or by the old annotation, the cluster's default class. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",

  async admit({ operation, attributes, object, reader }) {
    if (operation !== "CREATE" || targetOf(attributes) !== "ingresses.networking.k8s.io") return;
    const spec = specOf(object!) as IngressSpec;
    if (object!.metadata.annotations?.[INGRESS_CLASS_ANNOTATION] !== undefined) return;
    if (spec.ingressClassName !== undefined && spec.ingressClassName !== null) return;
    const name = defaultClass(await reader.list(INGRESS_CLASSES), DEFAULT_INGRESS_CLASS);
    if (name !== undefined) spec.ingressClassName = name;
  },
};
