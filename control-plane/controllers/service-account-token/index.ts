import { SECRETS, SERVICE_ACCOUNTS } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { Secret, ServiceAccount } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";
import { ACCOUNT_NAME, ACCOUNT_TOKEN, decide, legacyClaims } from "./decide.ts";

const BY_ACCOUNT = "account";

const accountOf = ({ metadata, type }: Secret): string[] => {
  const name = metadata.annotations?.[ACCOUNT_NAME];
  return type === ACCOUNT_TOKEN && name ? [`${metadata.namespace}/${name}`] : [];
};

/**
 * Fills Secrets of type service-account-token, and removes them with their account. Keys are `secret:<namespace>/<name>`
 * and, for a Secret that is gone, `reference:<namespace>/<account>/<secret>`.
 */
export const serviceAccountTokenController = (cluster: {
  caCertificatePem(): Promise<string>;
  signServiceAccountToken(claims: object): Promise<string>;
}): ControllerDefinition => ({
  name: "serviceaccount-token",
  serviceAccount: "tokens-controller",
  build({ api, log, informer }) {
    const secrets = informer<Secret>(SECRETS);
    const accounts = informer<ServiceAccount>(SERVICE_ACCOUNTS);
    secrets.addIndex(BY_ACCOUNT, accountOf);
    return {
      concurrency: 5,
      start(enqueue) {
        secrets.onEvent(({ type, object, old }) => {
          if (object.type !== ACCOUNT_TOKEN) return;
          const isOther = old !== undefined && old.metadata.uid !== object.metadata.uid;
          if (type === "deleted" || isOther)
            for (const key of accountOf(object)) enqueue(`reference:${key}/${object.metadata.name}`);
          if (type !== "deleted") enqueue(`secret:${keyOf(object)}`);
        });
        accounts.onEvent(({ type, object }) => {
          const isOver = type === "deleted";
          if (isOver)
            for (const secret of secrets.byIndex(BY_ACCOUNT, keyOf(object))) enqueue(`secret:${keyOf(secret)}`);
        });
      },
      async reconcile(key) {
        const [kind, name = ""] = key.split(":");
        try {
          if (kind === "secret") await settleSecret(name);
          else await dropReference(name);
        } catch (error) {
          // Changed or gone meanwhile: that change wakes its key.
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
        return done;
      },
    };

    async function settleSecret(key: string): Promise<void> {
      const cached = secrets.get(key);
      if (!cached) return;
      const { name, namespace = "", uid } = cached.metadata;
      const account = await liveAccount(namespace, cached.metadata.annotations?.[ACCOUNT_NAME] ?? "");
      const plan = decide(cached, account, await cluster.caCertificatePem());
      if (plan.step === "none") return;
      log.info("serviceaccount-token plan", { key, step: plan.step });
      if (plan.step === "remove") return api.delete(SECRETS, { name, namespace }, { uid });
      const data = { ...plan.data };
      if (plan.token && account)
        data["token"] = btoa(await cluster.signServiceAccountToken(legacyClaims(cached, account)));
      const { resourceVersion } = cached.metadata;
      const metadata = { uid, resourceVersion, annotations: plan.annotations };
      await api.patch(SECRETS, { name, namespace }, "merge", { metadata, data });
    }

    /** The cache may be behind, and a Secret that is removed is lost. */
    async function liveAccount(namespace: string, name: string): Promise<ServiceAccount | undefined> {
      if (name === "") return undefined;
      return (
        accounts.get(`${namespace}/${name}`) ??
        (await api.get<ServiceAccount>(SERVICE_ACCOUNTS, name, namespace).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
          return undefined;
        }))
      );
    }

    /** An account lists token Secrets only where it was made so, long ago or by hand. */
    async function dropReference(key: string): Promise<void> {
      const [namespace, name, secret] = key.split("/");
      const account = accounts.get(`${namespace}/${name}`);
      if (!account || secrets.get(`${namespace}/${secret}`)) return;
      const kept = (account.secrets ?? []).filter((listed) => listed.name !== secret);
      if (kept.length < (account.secrets ?? []).length)
        await api.update(SERVICE_ACCOUNTS, { ...account, secrets: kept });
    }
  },
});
