import { CONFIG_MAPS, NAMESPACES } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type { ConfigMap, Namespace } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { decide, ROOT_CA_CONFIG_MAP } from "./decide.ts";

/**
 * Publishes the cluster's CA as ConfigMap kube-root-ca.crt in every namespace: the projected service-account volume of
 * each pod takes it from there.
 * @param caCertificatePem asked for once per run of the object
 */
export const rootCaController = (caCertificatePem: () => Promise<string>): ControllerDefinition => ({
  name: "root-ca",
  serviceAccount: "root-ca-cert-publisher",
  build({ api, log, informer }) {
    const namespaces = informer<Namespace>(NAMESPACES);
    const configMaps = informer<ConfigMap>(CONFIG_MAPS);
    let pem: string | undefined;
    return {
      concurrency: 5,
      start(enqueue) {
        namespaces.onEvent(({ type, object }) => {
          if (type !== "deleted") enqueue(object.metadata.name);
        });
        configMaps.onEvent(({ type, object: { metadata } }) => {
          if (type !== "added" && metadata.name === ROOT_CA_CONFIG_MAP) enqueue(metadata.namespace ?? "");
        });
      },
      async reconcile(namespace) {
        pem ??= await caCertificatePem();
        const current = configMaps.get(`${namespace}/${ROOT_CA_CONFIG_MAP}`);
        const plan = decide({ namespace: namespaces.get(namespace), current }, pem);
        if (plan.write === "none") return done;
        log.info("root-ca plan", { key: namespace, write: plan.write });
        try {
          if (plan.write === "create") await api.create<ConfigMap>(CONFIG_MAPS, plan.configMap);
          else await api.update<ConfigMap>(CONFIG_MAPS, plan.configMap);
        } catch (error) {
          // Created or deleted meanwhile: the change wakes this key again.
          if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
        }
        return done;
      },
    };
  },
});
