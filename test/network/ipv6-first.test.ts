import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../harness/wait-for.ts";
import { NetworkLab } from "./network-lab.ts";

const NODES = ["node-1", "node-2"] as const;
/** Answers in both families. */
const pod = (node: string) => `
apiVersion: v1
kind: Pod
metadata: {name: web-${node}, labels: {app: web}}
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: 1
  containers:
  - name: web
    image: alpine/socat:1.8.0.3
    command: [socat, "TCP6-LISTEN:80,fork,reuseaddr", "SYSTEM:hostname"]
    readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}
---
`;
const SERVICES = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: both}
spec: {ipFamilyPolicy: RequireDualStack, selector: {app: web}, ports: [{port: 80}]}
`;

/** Found as client-go does, by the environment. The question's end does not end the connection before the answer. */
const ASK_API =
  'printf "GET /version HTTP/1.1\\r\\nHost: kubernetes.default\\r\\nConnection: close\\r\\n\\r\\n" | socat -t 1 -T 10 STDIO,ignoreeof "OPENSSL:[$KUBERNETES_SERVICE_HOST]:$KUBERNETES_SERVICE_PORT,cafile=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt,commonname=kubernetes.default"';

describe("a cluster whose first family is IPv6", () => {
  let lab: NetworkLab;

  beforeAll(async () => {
    lab = await NetworkLab.build({
      podRanges: ["fd00:10:244::/48", "10.244.0.0/16"],
      serviceRanges: ["fd00:10:96::/112", "10.96.0.0/16"],
      names: NODES,
    });
    await lab.kubectl.apply(`${NODES.map(pod).join("")}${SERVICES}`);
    await lab.ready("app=web");
  }, 300_000);

  afterAll(async () => {
    await lab?.remove();
  }, 120_000);

  const get = async (...args: string[]) =>
    JSON.parse(await lab.kubectl.run("get", ...args, "-o", "json")) as {
      spec: Record<string, unknown>;
      status: Record<string, unknown>;
    };
  const isSix = (address: unknown) => String(address).includes(":");

  it("has its addresses first: of nodes, pods and Services", async () => {
    const node = await get("node", "node-1");
    expect(node.spec["podCIDRs"]).toEqual([
      expect.stringMatching(/^fd00:10:244:/),
      expect.stringMatching(/^10\.244\./),
    ]);
    const internal = (node.status["addresses"] as { type: string; address: string }[]).filter(
      ({ type }) => type === "InternalIP",
    );
    expect(internal.map(({ address }) => isSix(address))).toEqual([true, false]);
    const { status } = await get("pod", "web-node-1");
    for (const list of ["podIPs", "hostIPs"]) {
      expect(
        (status[list] as { ip: string }[]).map(({ ip }) => isSix(ip)),
        list,
      ).toEqual([true, false]);
    }
    expect([isSix(status["podIP"]), isSix(status["hostIP"])]).toEqual([true, true]);
    expect((await get("service", "web")).spec).toMatchObject({
      clusterIP: expect.stringMatching(/^fd00:10:96:/),
      ipFamilies: ["IPv6"],
    });
    expect((await get("service", "both")).spec["ipFamilies"]).toEqual(["IPv6", "IPv4"]);
    expect((await get("service", "kubernetes")).spec["clusterIP"]).toBe("fd00:10:96::1");
    expect((await get("service", "kube-dns", "-n", "kube-system")).spec["clusterIP"]).toBe("fd00:10:96::a");
  });

  it("resolves names, reaches Services and the API in pods", async () => {
    expect(await lab.inPod("web-node-1", "cat /etc/resolv.conf")).toMatch(/^nameserver fd00:10:96::a$/m);
    const seen = new Set<string>();
    await waitFor("an answer of both nodes' pods", async () => {
      seen.add((await lab.inPod("web-node-1", "socat -T 3 -u TCP6:web:80,connect-timeout=3 -")).trim());
      return seen.size === NODES.length;
    });
    const { spec } = await get("service", "both");
    const [, four] = spec["clusterIPs"] as string[];
    expect(await lab.inPod("web-node-2", `socat -T 3 -u TCP4:${four}:80 -`)).toMatch(/^web-node-[12]\n$/);
    expect(await lab.inPod("web-node-1", ASK_API)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"gitVersion"/);
  });
});
