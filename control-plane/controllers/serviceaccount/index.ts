import { NAMESPACES, SERVICE_ACCOUNTS } from "../../../shared/api/refs.ts";
import { isAlreadyExists } from "../../../shared/api/status.ts";
import type { Namespace, ServiceAccount } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { DEFAULT_SERVICE_ACCOUNT, isAccountMissing } from "./decide.ts";

/** Gives every namespace its ServiceAccount `default`, again if it was deleted. */
export const serviceAccountController: ControllerDefinition = {
  name: "serviceaccount",
  serviceAccount: "service-account-controller",
  build({ api, log, informer }) {
    const namespaces = informer<Namespace>(NAMESPACES);
    const accounts = informer<ServiceAccount>(SERVICE_ACCOUNTS);
    return {
      concurrency: 5,
      start(enqueue) {
        namespaces.onEvent(({ type, object }) => {
          if (type !== "deleted") enqueue(object.metadata.name);
        });
        accounts.onEvent(({ type, object: { metadata } }) => {
          if (type === "deleted" && metadata.name === DEFAULT_SERVICE_ACCOUNT) enqueue(metadata.namespace ?? "");
        });
      },
      async reconcile(namespace) {
        const hasAccount = accounts.get(`${namespace}/${DEFAULT_SERVICE_ACCOUNT}`) !== undefined;
        if (!isAccountMissing(namespaces.get(namespace), hasAccount)) return done;
        log.info("serviceaccount plan", { key: namespace, create: DEFAULT_SERVICE_ACCOUNT });
        try {
          const metadata = { name: DEFAULT_SERVICE_ACCOUNT, namespace };
          await api.create<ServiceAccount>(SERVICE_ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
        } catch (error) {
          if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
        }
        return done;
      },
    };
  },
};
