import { CONFIG_MAPS, SECRETS } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { ConfigMap, Secret } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { isBootstrapToken, signingToken } from "../bootstrap-token.ts";
import { detachedSignature, isClusterInfo, withSignatures } from "./decide.ts";

const KEY = "kube-public/cluster-info";

/** Signs the kubeconfig in cluster-info with each bootstrap token that may, for those who know the token. */
export const bootstrapSigner: ControllerDefinition = {
  name: "bootstrap-signer",
  serviceAccount: "bootstrap-signer",
  build({ api, clock, log, informer }) {
    const configMaps = informer<ConfigMap>(CONFIG_MAPS);
    const secrets = informer<Secret>(SECRETS);
    return {
      concurrency: 1,
      start(enqueue) {
        configMaps.onEvent(({ type, object }) => {
          if (type !== "deleted" && isClusterInfo(object)) enqueue(KEY);
        });
        secrets.onEvent(({ object }) => {
          if (isBootstrapToken(object)) enqueue(KEY);
        });
      },
      async reconcile() {
        const configMap = configMaps.get(KEY);
        const content = configMap?.data?.["kubeconfig"];
        if (!configMap || content === undefined) return done;
        const signatures = new Map<string, string>();
        for (const secret of secrets.list("kube-system")) {
          const token = signingToken(secret, clock.nowMs());
          if (token) signatures.set(token.id, await detachedSignature(content, token));
        }
        const data = withSignatures(configMap, signatures);
        if (!data) return done;
        log.info("bootstrap-signer plan", { tokens: [...signatures.keys()] });
        try {
          await api.update(CONFIG_MAPS, { ...configMap, data });
        } catch (error) {
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
        return done;
      },
    };
  },
};
