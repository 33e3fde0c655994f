import { expect } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from "../../../shared/api/refs.ts";
import type { ConfigMap, Secret } from "../../../shared/api/types.ts";
import { object, pod } from "../../builders/objects.ts";
import { change, createAll, remove, type Story } from "./story.ts";

const KUBE_SYSTEM = { namespace: "kube-system" };
const TOKEN_ID = "abc123";

function bootstrapToken(): KubeObject {
  const data = {
    "token-id": TOKEN_ID,
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-signing": "true",
    expiration: "2026-10-21T08:30:00Z",
  };
  return object("v1", "Secret", `bootstrap-token-${TOKEN_ID}`, {
    metadata: { name: `bootstrap-token-${TOKEN_ID}`, ...KUBE_SYSTEM },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, btoa(value)])),
  }).build();
}

const clusterInfo = object("v1", "ConfigMap", "cluster-info", {
  metadata: { name: "cluster-info", namespace: "kube-public" },
  data: { kubeconfig: "a kubeconfig" },
}).build();

const account = (secrets: string[] = []): KubeObject =>
  object("v1", "ServiceAccount", "bot", {
    metadata: { name: "bot", namespace: "default" },
    secrets: secrets.map((name) => ({ name })),
  }).build();

const accountToken = (name: string): [typeof SECRETS, KubeObject] => [
  SECRETS,
  object("v1", "Secret", name, {
    metadata: { name, namespace: "default", annotations: { "kubernetes.io/service-account.name": "bot" } },
    type: "kubernetes.io/service-account-token",
  }).build(),
];

const LAST_USED = "kubernetes.io/legacy-token-last-used";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const TRACKING = { name: "kube-apiserver-legacy-service-account-token-tracking", ...KUBE_SYSTEM };
const LEGACY_TOKENS = ["unused", "used", "mounted"];

export const TOKEN_STORIES: Story[] = [
  {
    name: "a token for an account, which goes with it",
    of: ["serviceaccount-token"],
    acts: [
      createAll([SERVICE_ACCOUNTS, account()], accountToken("t1"), accountToken("t2")),
      (api) => {
        for (const { data } of api.all<Secret>(SECRETS)) expect(data?.["token"]).toBe(btoa("a token"));
        return remove(SERVICE_ACCOUNTS, "bot")(api);
      },
    ],
    end: (api) => expect(api.all(SECRETS)).toEqual([]),
    writes: 4,
  },
  {
    name: "a bootstrap token that signs, and expires",
    of: ["bootstrap-signer", "token-cleaner"],
    acts: [
      createAll([CONFIG_MAPS, clusterInfo], [SECRETS, bootstrapToken()]),
      async (api) => {
        const { data } = api.find<ConfigMap>(CONFIG_MAPS, "kube-public/cluster-info")!;
        expect(Object.keys(data ?? {})).toContain(`jws-kubeconfig-${TOKEN_ID}`);
      },
    ],
    restMs: 1_000_000,
    end(api) {
      expect(api.all(SECRETS)).toEqual([]);
      expect(api.find<ConfigMap>(CONFIG_MAPS, "kube-public/cluster-info")?.data).toEqual({
        kubeconfig: "a kubeconfig",
      });
    },
    writes: 3,
  },
  {
    name: "automatic tokens, of which the one that nobody uses is retired",
    of: ["legacy-token-cleaner"],
    acts: [
      createAll([SERVICE_ACCOUNTS, account(LEGACY_TOKENS)], ...[...LEGACY_TOKENS, "by-hand"].map(accountToken), [
        PODS,
        pod("p")
          .with({ spec: { volumes: [{ name: "v", secret: { secretName: "mounted" } }] } })
          .build(),
      ]),
      // Years go by.
      async (api) => {
        await api.patch(CONFIG_MAPS, TRACKING, "merge", { data: { since: "2025-01-01" } });
        for (const { metadata } of api.all(SECRETS)) {
          const labels = { ...(metadata.name === "used" && { [LAST_USED]: "2026-10-20" }) };
          await change(SECRETS, metadata.name, { metadata: { labels, creationTimestamp: "2024-10-01T00:00:00Z" } })(
            api,
          );
        }
      },
      async (api) => {
        const marked = api.all(SECRETS).filter(({ metadata }) => metadata.labels?.[INVALID_SINCE] !== undefined);
        expect(marked).toMatchObject([{ metadata: { name: "unused", labels: { [INVALID_SINCE]: "2026-10-21" } } }]);
        await change(SECRETS, "unused", { metadata: { labels: { [INVALID_SINCE]: "2025-10-01" } } })(api);
      },
    ],
    end(api) {
      expect(api.all(SECRETS).map(({ metadata }) => metadata.name)).toEqual(["used", "mounted", "by-hand"]);
    },
    writes: 3,
  },
];
