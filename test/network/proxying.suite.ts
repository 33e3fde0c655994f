import type { ChildProcess } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../harness/wait-for.ts";
import { type NetworkLab, NODE_NAMES } from "./network-lab.ts";

const NAMESPACE = "proxying";
const BASE = `/api/v1/namespaces/${NAMESPACE}`;

/** Answers HTTP on port 8080 with a page that names it and the request's first line. */
const webPod = (node: string) => `
apiVersion: v1
kind: Pod
metadata: {name: web-${node}, namespace: ${NAMESPACE}, labels: {app: web}}
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: 1
  containers:
  - name: web
    image: alpine/socat:1.8.0.3
    command:
    - sh
    - -c
    - |
      cat > /tmp/answer <<'END'
      read -r line
      end=$(printf '\\r')
      while read -r header && [ "$header" != "$end" ]; do :; done
      printf 'HTTP/1.0 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<a href="/next">%s</a> %s' "$(hostname)" "$line"
      END
      exec socat TCP-LISTEN:8080,fork,reuseaddr EXEC:'sh /tmp/answer'
    ports: [{name: web, containerPort: 8080}]
    readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}
---
`;

const SERVICES = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${NAMESPACE}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: web}, {name: dead, port: 81, targetPort: 8181}]}
---
apiVersion: v1
kind: Service
metadata: {name: nothing, namespace: ${NAMESPACE}}
spec: {selector: {app: nothing}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: proxying-shown, namespace: kube-system, labels: {kubernetes.io/cluster-service: "true", kubernetes.io/name: Shown}}
spec: {ports: [{port: 80}]}
`;

/** Pods and Services reached from outside, through the API. */
export function describeProxying(lab: () => NetworkLab): void {
  describe("proxying", () => {
    const started: ChildProcess[] = [];
    const raw = (path: string) => lab().kubectl.run("get", "--raw", path);
    const refusal = async (path: string) => (await lab().kubectl.finish(["get", "--raw", path])).stderr;

    /** The address on which a kubectl that passes on says that it listens. */
    const listening = async (...args: string[]): Promise<string> => {
      const child = lab().kubectl.start(args);
      started.push(child);
      let said = "";
      for (const output of [child.stdout, child.stderr])
        output.setEncoding("utf8").on("data", (text: string) => {
          said += text;
        });
      await waitFor(`kubectl ${args.join(" ")} to listen`, () => /127\.0\.0\.1:\d+/.test(said));
      return /127\.0\.0\.1:\d+/.exec(said)![0];
    };

    beforeAll(async () => {
      const { kubectl } = lab();
      await kubectl.run("create", "namespace", NAMESPACE);
      await kubectl.apply(SERVICES);
      await kubectl.apply([NODE_NAMES[0], NODE_NAMES[1]].map(webPod).join(""));
      await lab().ready("app=web", NAMESPACE);
      await waitFor("both endpoints", async () => {
        const path = "jsonpath={.subsets[0].addresses[*].ip}";
        const ready = await kubectl.run("get", "endpoints", "web", "-n", NAMESPACE, "-o", path);
        return ready.split(" ").length === 2;
      });
    }, 180_000);

    afterEach(() => {
      for (const child of started.splice(0)) child.kill();
    });
    afterAll(async () => {
      await lab().kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
      await lab().kubectl.run("delete", "service", "-n", "kube-system", "proxying-shown");
    });

    it("API-22: a node's kubelet answers through the proxy of its Node", async () => {
      const { kubeletconfig } = JSON.parse(await raw("/api/v1/nodes/node-1/proxy/configz"));
      expect(kubeletconfig).toHaveProperty("evictionHard");
    });

    it("a pod answers through its proxy, wherever it runs, and links of its page lead there again", async () => {
      for (const name of ["web-node-1", "web-node-2"]) {
        const link = `<a href="${BASE}/pods/${name}/proxy/next">${name}</a>`;
        expect(await raw(`${BASE}/pods/${name}/proxy/a/b?x=1`)).toBe(`${link} GET /a/b?x=1 HTTP/1.1\r`);
      }
    });

    it("a Service answers through its proxy, by the name and the number of its port: any of its endpoints", async () => {
      const seen = new Set<string>();
      await waitFor("an answer of each", async () => {
        const text = await raw(`${BASE}/services/${seen.size === 0 ? "web:http" : "http:web:80"}/proxy/`);
        seen.add(/web-node-\d/.exec(text)![0]);
        return seen.size === 2;
      });
    });

    it.each([
      { path: "services/nothing/proxy/", says: 'no endpoints available for service "nothing"' },
      { path: "services/web:82/proxy/", says: 'no service port 82 found for service "web"' },
      { path: "services/none/proxy/", says: 'services "none" not found' },
      {
        path: "services/web:dead/proxy/",
        says: /error trying to reach service: dial tcp [\d.]+:8181: connect: connection refused/,
      },
    ])("what is not there is said: $path", async ({ path, says }) =>
      expect(await refusal(`${BASE}/${path}`)).toMatch(says),
    );

    it("kubectl proxy leads to all of it", async () => {
      const address = await listening("proxy", "--port=0");
      const root = await fetch(`http://${address}${BASE}/services/web:http/proxy`);
      expect([root.status, root.url]).toEqual([200, `http://${address}${BASE}/services/web:http/proxy/`]);
      const posted = await fetch(`http://${address}${BASE}/services/web:http/proxy/x`, { method: "POST", body: "y" });
      expect(await posted.text()).toContain("POST /x");
    });

    it("kubectl port-forward finds the pod and the port behind a Service", async () => {
      const address = await listening("port-forward", "-n", NAMESPACE, "service/web", ":80");
      expect(await (await fetch(`http://${address}/direct`)).text()).toMatch(/web-node-\d<\/a> GET \/direct/);
    });

    it("kubectl cluster-info lists a Service of the cluster with the path of its proxy", async () => {
      expect(await lab().kubectl.run("cluster-info")).toContain(
        "/api/v1/namespaces/kube-system/services/proxying-shown/proxy",
      );
    });

    it("whoever may not proxy is refused", async () => {
      const answer = await lab().kubectl.finish(["get", "--raw", `${BASE}/services/web/proxy/`, "--as=nobody"]);
      expect(answer.stderr).toMatch(/cannot get resource "services\/proxy"/);
    });
  });
}
