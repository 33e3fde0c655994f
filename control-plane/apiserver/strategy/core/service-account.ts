import type { ServiceAccount } from "../../../../shared/api/types.ts";
import type { Strategy } from "../strategy.ts";

/** Of a referenced secret only the name counts: it lies in the same namespace. */
function cleanReferences(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

const ENFORCE = "kubernetes.io/enforce-mountable-secrets";

export const SERVICE_ACCOUNT_STRATEGY: Strategy<ServiceAccount> = {
  checksMetaAgain: true,
  prepareForCreate: cleanReferences,
  prepareForUpdate: cleanReferences,
  warnings: ({ metadata }, old) =>
    metadata.annotations &&
    ENFORCE in metadata.annotations &&
    !(old?.metadata.annotations && ENFORCE in old.metadata.annotations)
      ? [
          `metadata.annotations[${ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
};
