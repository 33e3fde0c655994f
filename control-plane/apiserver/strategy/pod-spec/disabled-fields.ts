import type { Lifecycle, PodSpec, PodTemplateSpec } from "../../../../shared/api/types.ts";

/**
 * Takes away what stands behind feature gates that are off in 1.36 (ContainerStopSignals, GenericWorkload,
 * ClusterTrustBundleProjection, PodCertificateRequest). For a strategy's preparations: managers own such fields.
 */
export function dropDisabledFields(spec: PodSpec | undefined): void {
  if (!spec) return;
  delete spec.schedulingGroup;
  for (const container of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ]) {
    dropStopSignal(container);
  }
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
}

/** The same in the template of another kind. */
export const dropDisabledTemplateFields = (template: PodTemplateSpec | undefined): void =>
  dropDisabledFields(template?.spec);

function dropStopSignal(container: { lifecycle?: Lifecycle }): void {
  if (container.lifecycle?.stopSignal === undefined) return;
  delete container.lifecycle.stopSignal;
  if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
}
