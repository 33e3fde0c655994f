import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";

const SHOP = "/api/v1/namespaces/shop";

describe("a session with a container", () => {
  const api = testApi();
  const groups = ["system:authenticated"];
  const upgrade = { upgrade: "websocket", "sec-websocket-protocol": "v5.channel.k8s.io" };

  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "shop" } });
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";
    const apiGroup = "rbac.authorization.k8s.io";
    for (const [user, verbs] of Object.entries({ reader: ["get"], runner: ["get", "create"] })) {
      const rules = [{ apiGroups: [""], resources: ["pods/exec", "pods/attach", "pods/portforward"], verbs }];
      await api.post(`${rbac}/roles`, { metadata: { name: user }, rules });
      const subjects = [{ kind: "User", name: user, apiGroup }];
      await api.post(`${rbac}/rolebindings`, {
        metadata: { name: user },
        roleRef: { apiGroup, kind: "Role", name: user },
        subjects,
      });
    }
  });

  it("takes it to open a WebSocket to a kubelet through the proxy of its node", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const rules = [{ apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] }];
    await api.post(`${rbac}/clusterroles`, { metadata: { name: "proxy" }, rules });
    await api.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "proxy" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "proxy" },
      subjects: [{ kind: "User", name: "proxied", apiGroup: "rbac.authorization.k8s.io" }],
    });
    const proxied = api.as({ username: "proxied", groups });
    expect((await proxied.get("/api/v1/nodes/n1/proxy/configz")).code).toBe(404);
    expect((await proxied.get("/api/v1/nodes/n1/proxy/exec/shop/p/c?command=sh", upgrade)).code).toBe(403);
  });

  it.each(["exec", "attach", "portforward"])("takes the right to create, over a WebSocket too: %s", async (what) => {
    const path = `${SHOP}/pods/p/${what}?command=sh&stdin=true`;
    expect((await api.as({ username: "reader", groups }).get(path, upgrade)).code).toBe(403);
    expect((await api.as({ username: "runner", groups }).get(path, upgrade)).body.message).toContain("not found");
  });
});
