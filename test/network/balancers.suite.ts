import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../harness/wait-for.ts";
import { GATEWAY_KINDS, gatewayDefinitions } from "./gateway-crds.ts";
import { LanClient } from "./lan-client.ts";
import { echoPod, type NetworkLab, NODE_NAMES } from "./network-lab.ts";

const run = promisify(execFile);
const NAMESPACE = "balancers";
const CHART = join(import.meta.dirname, "testdata/ingress-chart");
const EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";

/** Services of type LoadBalancer, and the Ingress controller and Gateway API that a user may put behind one. */
export function describeBalancers(lab: () => NetworkLab): void {
  describe("balancers", () => {
    let client: LanClient;
    let prefix: string;
    const pool = (number: number) => `${prefix}.${200 + number}`;
    const kubectl = (...args: string[]) => lab().kubectl.run(...args, "-n", NAMESPACE);
    const apply = (manifest: string) => lab().kubectl.apply(manifest, "-n", NAMESPACE);

    const balancer = (name: string, { app = "lb", spec = "", port = 80 } = {}) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec:
  type: LoadBalancer
  selector: {app: ${app}}
  ports: [{name: tcp, port: ${port}, targetPort: 80, protocol: TCP}, {name: udp, port: ${port}, targetPort: 80, protocol: UDP}]
  ${spec}
---
`;
    const configure = (data: Record<string, string>) =>
      lab().kubectl.apply(
        JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "hearth-load-balancer", namespace: "kube-system" },
          data,
        }),
      );
    const externalIps = async (name: string) =>
      (await kubectl("get", "service", name, "-o", "jsonpath={.status.loadBalancer.ingress[*].ip}")).trim();
    const shows = (name: string, ips: string) =>
      waitFor(`${name} to show ${ips || "nothing"}`, async () => (await externalIps(name)) === ips);
    const tcp = (address: string, port = 80) =>
      client.execute(`socat -u -T 3 TCP:${address}:${port},connect-timeout=3 - 2>&1 || true`);
    const udp = (address: string) => client.execute(`echo | socat -t 2 - UDP:${address}:80 2>&1 || true`);
    const answers = (address: string, pods: string[], port = 80) =>
      waitFor(`${address} to lead to ${pods}`, async () => pods.includes((await tcp(address, port)).trim()));
    /** The nodes that have an address. */
    const holders = async (address: string) => {
      const has = await Promise.all(
        lab().nodes.map((node) => node.execute("ip", ["-brief", "address", "show", "to", `${address}/32`])),
      );
      return NODE_NAMES.filter((_, i) => has[i]?.trim());
    };
    const isHeldBy = (address: string, nodes: string[]) =>
      waitFor(`${address} to be on ${nodes}`, async () => (await holders(address)).join() === nodes.join());

    beforeAll(async () => {
      const { kubectl, lab: machines } = lab();
      prefix = lab().node(1).address.split(".").slice(0, 3).join(".");
      client = await LanClient.build(machines, `${prefix}.60`);
      await kubectl.run("create", "namespace", NAMESPACE);
      const at = (node: string) => ({ node, app: "lb", namespace: NAMESPACE });
      await kubectl.apply(echoPod("lb-1", at("node-1")) + echoPod("lb-2", at("node-2")));
      // Says whom it sees as its client.
      await apply(`
apiVersion: v1
kind: Pod
metadata: {name: who-2, labels: {app: who}}
spec:
  nodeName: node-2
  terminationGracePeriodSeconds: 1
  containers:
  - name: who
    image: alpine/socat:1.8.0.3
    command: [sh, -c, 'exec socat TCP-LISTEN:80,fork,reuseaddr SYSTEM:"echo \\$SOCAT_PEERADDR"']
    readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}
`);
      await lab().ready("app in (lb,who)", NAMESPACE);
    });

    afterAll(async () => {
      const { kubectl } = lab();
      const remove = ["delete", "--ignore-not-found", "--wait=false"];
      await kubectl.run(...remove, "configmap", "hearth-load-balancer", "-n", "kube-system");
      await kubectl.run(...remove, "crd", ...gatewayDefinitions().map((each) => each.metadata.name));
      await kubectl.run("label", "nodes", "--all", `${EXCLUDED}-`);
      await kubectl.run("delete", "namespace", NAMESPACE);
      await client?.remove();
    });

    it("SVC-03: a Service has the nodes' addresses, and none where that is switched off", async () => {
      const addresses = lab().nodes.map((node) => node.address);
      await apply(balancer("on-nodes", { port: 8081 }) + balancer("same-port", { port: 8081 }));
      await shows("on-nodes", addresses.join(" "));
      for (const address of addresses) await answers(address, ["lb-1", "lb-2"], 8081);
      expect(await externalIps("same-port")).toBe("");
      const described = await kubectl("describe", "service", "same-port");
      expect(described).toContain(
        `Failed to allocate IP for "${NAMESPACE}/same-port": port 8081/TCP of the nodes is used by "${NAMESPACE}/on-nodes"`,
      );
      await configure({ nodeAddresses: "false" });
      await shows("on-nodes", "");
      expect(await kubectl("get", "service", "on-nodes")).toContain("<pending>");
      expect(await kubectl("describe", "service", "on-nodes")).toMatch(/EnsuredLoadBalancer .* Ensured load balancer/);
      await kubectl("delete", "service", "on-nodes", "same-port");
    });

    it("announces an address of a pool from one node, and from another when that one is taken out", async () => {
      await configure({ pools: `- {name: lan, addresses: ["${pool(0)}-${pool(3)}"]}` });
      await apply(balancer("web"));
      await shows("web", pool(0));
      await answers(pool(0), ["lb-1", "lb-2"]);
      expect((await udp(pool(0))).trim()).toMatch(/^lb-[12]$/);
      const [first] = await holders(pool(0));
      await waitFor("the event of the node", async () =>
        (await kubectl("describe", "service", "web")).includes(
          `announcing from node "${first}" with protocol "layer2"`,
        ),
      );

      // What listens on the node itself is not reached there.
      const node = lab().nodes[NODE_NAMES.indexOf(first!)]!;
      const listener = run("nsenter", [
        `--net=/run/netns/${node.netns}`,
        "socat",
        "TCP-LISTEN:2222,reuseaddr",
        "SYSTEM:echo node",
      ]);
      await waitFor("the listener", async () => (await tcp(node.address, 2222)) === "node\n");
      await listener;
      const second = run("nsenter", [
        `--net=/run/netns/${node.netns}`,
        "timeout",
        "3",
        "socat",
        "TCP-LISTEN:2222,reuseaddr",
        "SYSTEM:echo node",
      ]);
      expect(await tcp(pool(0), 2222)).toContain("Connection refused");
      await second.catch(() => undefined);

      await lab().kubectl.run("label", "node", first!, `${EXCLUDED}=`);
      await waitFor("another node", async () => {
        const now = await holders(pool(0));
        return now.length === 1 && now[0] !== first;
      });
      await answers(pool(0), ["lb-1", "lb-2"]);
      await lab().kubectl.run("label", "node", first!, `${EXCLUDED}-`);
      await isHeldBy(pool(0), [first!]);
      await answers(pool(0), ["lb-1", "lb-2"]);
    });

    it("says when a pool is exhausted, and gives what becomes free to who waits", async () => {
      await configure({ pools: `- {name: lan, addresses: ["${pool(0)}-${pool(1)}"]}` });
      await apply(balancer("wants-it", { spec: `loadBalancerIP: ${pool(1)}` }));
      await shows("wants-it", pool(1));
      await apply(balancer("waits"));
      await waitFor("the event", async () =>
        (await kubectl("describe", "service", "waits")).includes(
          `Failed to allocate IP for "${NAMESPACE}/waits": no available IPs`,
        ),
      );
      await kubectl("delete", "service", "wants-it");
      await shows("waits", pool(1));
      await kubectl("delete", "service", "waits");
      await isHeldBy(pool(1), []);
    });

    it("keeps the client's address with the Local policy, on the node that has an endpoint", async () => {
      await apply(balancer("local", { app: "who", spec: "externalTrafficPolicy: Local" }));
      await shows("local", pool(1));
      await isHeldBy(pool(1), ["node-2"]);
      await waitFor("an answer", async () => (await tcp(pool(1))).trim() === client.address);
      await kubectl("delete", "pod", "who-2");
      await isHeldBy(pool(1), []);
      await kubectl("delete", "service", "local");
    });

    it("ING-01, ING-02: an Ingress controller from a chart leads hosts and paths to Services", async () => {
      const resources = await lab().kubectl.run("api-resources");
      const listed = resources.split("\n").filter((line) => /gateway|ingress/i.test(line));
      expect(listed.map((line) => line.replace(/ +/g, " ").trim())).toEqual([
        "ingressclasses networking.k8s.io/v1 false IngressClass",
        "ingresses ing networking.k8s.io/v1 true Ingress",
      ]);
      const backend = (name: string, path: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}, ingress: backend}}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: httpd
    image: busybox:1.37
    command: [sh, -c, 'mkdir -p /tmp/w${path}; hostname > /tmp/w${path}/index.html; exec httpd -f -p 80 -h /tmp/w']
    readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: ${name}}, ports: [{port: 80}]}
---
`;
      await apply(backend("orders", "/orders") + backend("carts", "/carts"));
      await run(
        process.env["HELM"] ?? "helm",
        ["install", "tiny", CHART, "-n", NAMESPACE, "--wait", "--timeout", "60s"],
        {
          env: { ...process.env, KUBECONFIG: lab().cluster.kubeconfigFile },
        },
      );
      await apply(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  ingressClassName: tiny
  rules:
  - host: shop.example.com
    http:
      paths:
      - {path: /orders, pathType: Prefix, backend: {service: {name: orders, port: {number: 80}}}}
      - {path: /carts, pathType: Prefix, backend: {service: {name: carts, port: {number: 80}}}}
`);
      await lab().ready("ingress=backend", NAMESPACE);
      await shows("tiny", pool(1));
      await waitFor("the Ingress to show its address", async () =>
        (await kubectl("get", "ingress", "shop")).includes(pool(1)),
      );
      const get = (path: string, host = "shop.example.com") =>
        client.execute(
          `printf 'GET ${path} HTTP/1.1\\r\\nHost: ${host}\\r\\nConnection: close\\r\\n\\r\\n' | socat -t 5 - TCP:${pool(1)}:80,connect-timeout=3 2>&1 || true`,
        );
      await waitFor("the routes", async () => (await get("/orders/")).includes("200 OK"));
      expect(await get("/orders/")).toMatch(/\norders\n$/);
      expect(await get("/carts/")).toMatch(/\ncarts\n$/);
      expect(await get("/orders/", "other.example.com")).toContain("404 Not Found");
      expect(await get("/")).toContain("no route");
    });

    it("ING-03: a route of the Gateway API without its definition is an unknown kind", async () => {
      await withRouteFile(async (file) => {
        const { code, stderr } = await lab().kubectl.finish(["apply", "--dry-run=server", "-f", file]);
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: `error: resource mapping not found for name: "orders" namespace: "default" from "${file}": no matches for kind "HTTPRoute" in version "gateway.networking.k8s.io/v1"\nensure CRDs are installed first\n`,
        });
      });
    });

    // Skipped until custom resources are served, which come with the extension of the API.
    it.skip("ING-03, ING-04, ING-05: the Gateway API's kinds are served once they are defined", async () => {
      await withRouteFile(async (file) => {
        const definitions = gatewayDefinitions();
        await lab().kubectl.apply(JSON.stringify({ apiVersion: "v1", kind: "List", items: definitions }));
        const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
        // kubectl cannot wait for a condition of an object that has none yet.
        await lab().kubectl.run("wait", "--for=jsonpath={.status.conditions}", ...names, "--timeout=30s");
        await lab().kubectl.run("wait", "--for=condition=Established", ...names, "--timeout=30s");
        const answer = await lab().kubectl.run("api-resources", "--api-group=gateway.networking.k8s.io");
        const [, ...listed] = answer.trim().split("\n");
        const lines = GATEWAY_KINDS.map(({ kind, plural, shortNames, scope }) =>
          [plural, ...shortNames, "gateway.networking.k8s.io/v1", scope !== "Cluster", kind].join(" "),
        );
        expect(listed.map((line) => line.split(/ +/).join(" "))).toEqual(lines.sort());

        expect(await lab().kubectl.run("apply", "--dry-run=server", "-f", file)).toBe(
          "httproute.gateway.networking.k8s.io/orders created (server dry run)\n",
        );
        await lab().kubectl.apply(GATEWAY.replaceAll("NAMESPACE", NAMESPACE));
        const { spec } = await lab().kubectl.json<{ spec: object }>("get", "httproute", "orders", "-n", NAMESPACE);
        expect(spec).toMatchObject({
          parentRefs: [{ kind: "Gateway", name: "public", namespace: "infra" }],
          rules: [
            {
              matches: [{ path: { type: "PathPrefix", value: "/orders" } }],
              backendRefs: [{ kind: "Service", port: 80 }],
            },
          ],
        });
        const grpc = await lab().kubectl.json<{ spec: object }>("get", "grpcroute", "orders", "-n", NAMESPACE);
        expect(grpc.spec).toMatchObject({
          rules: [{ matches: [{ method: { type: "Exact", service: "orders.v1.Orders", method: "Get" } }] }],
        });
      });
    });
  });
}

/** Runs `action` with a file that holds the route. */
async function withRouteFile(action: (file: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "hearth-gateway-"));
  const file = join(directory, "orders-route.yaml");
  writeFileSync(file, ROUTE);
  try {
    await action(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const ROUTE = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: orders
  namespace: default
spec:
  parentRefs:
    - name: public
      namespace: infra
  hostnames: ["api.example.com"]
  rules:
    - matches:
        - path: { type: PathPrefix, value: /orders }
      backendRefs:
        - name: orders
          port: 80
`;

const GATEWAY = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: tiny}
spec: {controllerName: example.com/tiny}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: public, namespace: NAMESPACE}
spec:
  gatewayClassName: tiny
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
---
${ROUTE.replace("namespace: default", "namespace: NAMESPACE")}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: {name: orders, namespace: NAMESPACE}
spec:
  parentRefs: [{name: public, namespace: infra}]
  rules:
  - matches: [{method: {service: orders.v1.Orders, method: Get}}]
    backendRefs: [{name: orders, port: 9000}]
`;
