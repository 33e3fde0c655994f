import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../../testing/api.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const IN_SHOP = `${RBAC}/namespaces/shop`;
const apiGroup = "rbac.authorization.k8s.io";
const rule = (apiGroups: string[], resources: string[], verbs: string[], more: object = {}) => ({
  apiGroups,
  resources,
  verbs,
  ...more,
});
const SECRETS = rule([""], ["secrets"], ["*"]);
const CONFIG_MAPS = rule([""], ["configmaps"], ["get", "list"]);
const held = (groups: string, rights: string) =>
  `user "amy" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${rights}`;

describe("somebody with rights over roles", () => {
  const api = testApi();
  const groups = ["system:authenticated"];
  const amy = api.as({ username: "amy", groups });
  const zoe = api.as({ username: "zoe", groups });
  const bind = (name: string, user: string, kind: string, role: string) => ({
    metadata: { name },
    roleRef: { apiGroup, kind, name: role },
    subjects: [{ kind: "User", name: user, apiGroup }],
  });
  const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules });

  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "shop" } });
    const rbac = rule([apiGroup], ["roles", "rolebindings"], ["create", "update", "patch", "get"]);
    await api.post(`${IN_SHOP}/roles`, role("amys", CONFIG_MAPS, rbac));
    await api.post(`${IN_SHOP}/rolebindings`, bind("amys", "amy", "Role", "amys"));
    const masterly = [
      rule([apiGroup], ["roles"], ["create", "escalate"]),
      rule([apiGroup], ["rolebindings"], ["create"]),
      rule([apiGroup], ["clusterroles"], ["bind"], { resourceNames: ["reader"] }),
    ];
    await api.post(`${IN_SHOP}/roles`, role("zoes", ...masterly));
    await api.post(`${IN_SHOP}/rolebindings`, bind("zoes", "zoe", "Role", "zoes"));
    await api.post(`${IN_SHOP}/roles`, role("big", SECRETS));
    await api.post(`${IN_SHOP}/rolebindings`, bind("bigs", "zoe", "Role", "big"));
    await api.post(`${RBAC}/clusterroles`, role("reader", SECRETS));
    await api.post(`${RBAC}/clusterroles`, role("maker", rule([apiGroup], ["clusterroles"], ["create"])));
    await api.post(`${RBAC}/clusterrolebindings`, bind("maker", "amy", "ClusterRole", "maker"));
  });

  const QUOTED = '"system:authenticated"';
  it.each<{ name: string; rules: object[]; want: string | undefined }>([
    { name: "what they hold", rules: [CONFIG_MAPS], want: undefined },
    { name: "nothing", rules: [], want: undefined },
    { name: "less, by a name", rules: [{ ...CONFIG_MAPS, resourceNames: ["a"] }], want: undefined },
    {
      name: "no verb more",
      rules: [rule([""], ["configmaps"], ["get", "delete"])],
      want: held(QUOTED, '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}'),
    },
    {
      name: "no resource more",
      rules: [SECRETS, rule(["apps"], ["deployments", "replicasets"], ["get"], { resourceNames: ["x"] })],
      want: held(
        QUOTED,
        [
          '{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}',
          '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["x"], Verbs:["get"]}',
          '{APIGroups:["apps"], Resources:["replicasets"], ResourceNames:["x"], Verbs:["get"]}',
        ].join("\n"),
      ),
    },
  ])("puts $name into a role", async ({ rules, want }) => {
    const { code, body } = await amy.post(`${IN_SHOP}/roles?dryRun=All`, role("more", ...rules));
    expect(code).toBe(want ? 403 : 201);
    if (want) expect(body.message).toBe(`roles.rbac.authorization.k8s.io "more" is forbidden: ${want}`);
  });

  it("changes no role that is larger than they are, save to shrink it", async () => {
    const big = `${IN_SHOP}/roles/big?dryRun=All`;
    expect((await amy.patch(big, { metadata: { labels: { a: "b" } } })).code).toBe(403);
    expect((await amy.put(big, role("big", SECRETS, CONFIG_MAPS))).code).toBe(403);
    expect((await amy.patch(big, { rules: [CONFIG_MAPS] })).code).toBe(200);
    // What the garbage collector does is no grant.
    expect((await amy.patch(big, { metadata: { finalizers: ["a.io/b"] } })).code).toBe(200);
    const more = rule([""], ["nodes"], ["get"]);
    const apply = { apiVersion: `${apiGroup}/v1`, kind: "Role", ...role("big", SECRETS, more) };
    const applied = await amy.patch(`${big}&fieldManager=x&force=true`, apply, "application/apply-patch+yaml");
    expect(applied.code).toBe(403);
  });

  it("binds what they hold, and nothing else", async () => {
    const create = (binding: object) => amy.post(`${IN_SHOP}/rolebindings?dryRun=All`, binding);
    expect((await create(bind("x", "zoe", "Role", "amys"))).code).toBe(201);
    expect((await create(bind("x", "amy", "ClusterRole", "reader"))).body.message).toBe(
      `rolebindings.rbac.authorization.k8s.io "x" is forbidden: ${held(QUOTED, '{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}')}`,
    );
    expect((await create(bind("x", "amy", "Role", "big"))).code).toBe(403);
    const missing = await create(bind("x", "amy", "Role", "not-there"));
    expect(missing.code).toBe(404);
    expect(missing.body.message).toBe('rolebindings.rbac.authorization.k8s.io "not-there" not found');
    const subjects = [{ kind: "User", name: "amy", apiGroup }];
    expect((await amy.patch(`${IN_SHOP}/rolebindings/bigs?dryRun=All`, { subjects })).code).toBe(403);
  });

  it("gives on more with the verbs escalate and bind", async () => {
    expect((await zoe.post(`${IN_SHOP}/roles?dryRun=All`, role("any", rule(["*"], ["*"], ["*"])))).code).toBe(201);
    const create = (binding: object) => zoe.post(`${IN_SHOP}/rolebindings?dryRun=All`, binding);
    expect((await create(bind("x", "zoe", "ClusterRole", "reader"))).code).toBe(201);
    expect((await create(bind("x", "zoe", "ClusterRole", "maker"))).code).toBe(403);
  });

  it("makes no cluster role that gathers others", async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
    const { body } = await amy.post(`${RBAC}/clusterroles`, { metadata: { name: "agg" }, aggregationRule });
    expect(body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
  });
});
