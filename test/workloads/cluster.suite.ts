import { afterAll, beforeAll, expect, it } from "vitest";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import type { PlayedNodes } from "../harness/played-nodes.ts";
import { waitFor } from "../harness/wait-for.ts";
import { all, manifest, object } from "./manifests.ts";

/** Of `CN=system:node:joining, O=system:nodes`, with a key that nobody has kept. */
const REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHwMIGXAgEAMDUxFTATBgNVBAoMDHN5c3RlbTpub2RlczEcMBoGA1UEAwwTc3lz
dGVtOm5vZGU6am9pbmluZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAH0NVmq
qX42+Qiw5fmzSw2WnifFn8IcoVkfnvqavGENH7pCB9YrdWB6hyosqrUI1CkElpGy
bG6NJsLA2B98kxagADAKBggqhkjOPQQDAgNIADBFAiBVXxVb2gpJKWZpVQ/2y8Ky
jvkm7lsbtmK5iernpeQGAwIhAMg2OvHq7RRhVyp0buNsAtbSrV4m0VevB2YS3key
wCeb
-----END CERTIFICATE REQUEST-----
`;
const SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** What the cluster's own controllers do beside workloads, and how nodes are shown. */
export function describeCluster(cluster: () => OwnCluster, nodes: () => PlayedNodes): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "cluster");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  it("a joining node's request is approved and signed, another's is not (CTL-04)", async () => {
    const group = "--group=system:bootstrappers";
    const role = (name: string, clusterRole: string) =>
      kubectl.run("create", "clusterrolebinding", name, `--clusterrole=${clusterRole}`, group);
    await role("joining", "system:node-bootstrapper");
    await role("joined", "system:certificates.k8s.io:certificatesigningrequests:nodeclient");
    const request = (name: string) =>
      manifest("certificates.k8s.io/v1", "CertificateSigningRequest", name, {
        request: Buffer.from(REQUEST).toString("base64"),
        signerName: SIGNER,
        usages: ["client auth", "digital signature"],
      });
    const as = ["--as=system:bootstrap:abc123", "--as-group=system:bootstrappers"];
    const token = await kubectl.finish(["create", "-f", "-", ...as], request("of-a-token"));
    expect(token.stdout).toBe("certificatesigningrequest.certificates.k8s.io/of-a-token created\n");
    await kubectl.run("create", "clusterrolebinding", "asking", "--clusterrole=system:node-bootstrapper", "--user=eve");
    await kubectl.finish(["create", "-f", "-", "--as=eve"], request("of-another"));
    await waitFor("the certificate", () =>
      kubectl.run("get", "csr", "of-a-token", "-o", "jsonpath={.status.certificate}"),
    );
    const table = await kubectl.run("get", "csr", "of-a-token", "of-another");
    expect(table.split("\n").map((line) => line.split(/ {2,}/).filter((_, column) => column !== 1))).toEqual([
      ["NAME", "SIGNERNAME", "REQUESTOR", "REQUESTEDDURATION", "CONDITION"],
      ["of-a-token", SIGNER, "system:bootstrap:abc123", "<none>", "Approved,Issued"],
      ["of-another", SIGNER, "eve", "<none>", "Pending"],
      [""],
    ]);
    expect(await kubectl.run("describe", "csr", "of-a-token")).toMatch(
      /^Subject:\n +Common Name: +system:node:joining\n +Serial Number: *\n +Organization: +system:nodes$/m,
    );
  });

  it("a bootstrap token signs what joining nodes read, and goes when it expires (CTL-05)", async () => {
    const token = (fields: Record<string, string> = {}) =>
      object(
        "v1",
        "Secret",
        { name: "bootstrap-token-abc123", namespace: "kube-system" },
        {
          type: "bootstrap.kubernetes.io/token",
          stringData: {
            "token-id": "abc123",
            "token-secret": "0123456789abcdef",
            "usage-bootstrap-signing": "true",
            ...fields,
          },
        },
      );
    const info = { name: "cluster-info", namespace: "kube-public" };
    const data = { kubeconfig: "apiVersion: v1\nkind: Config\n" };
    await kubectl.apply(all(object("v1", "ConfigMap", info, { data }), token()));
    const signature = () =>
      kubectl.run(
        ...["get", "configmap", "cluster-info", "-n", "kube-public"],
        ...["-o", "jsonpath={.data.jws-kubeconfig-abc123}"],
      );
    expect(await waitFor("its signature", signature)).toMatch(/^[\w-]+\.\.[\w-]+$/);
    const expiration = new Date(Date.now() + 2_000).toISOString();
    await kubectl.apply(token({ expiration }));
    const secret = ["secret/bootstrap-token-abc123", "-n", "kube-system"];
    await kubectl.run("wait", ...secret, "--for=delete", "--timeout=60s");
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiration));
    await waitFor("the signature to go", async () => (await signature()) === "");
  });

  it("a claim is bound to a volume that fits (CTL-06)", async () => {
    const rest = { accessModes: ["ReadWriteOnce"], storageClassName: "of-the-cluster-suite" };
    const volume = (name: string, storage: string) =>
      manifest("v1", "PersistentVolume", name, { capacity: { storage }, hostPath: { path: "/data" }, ...rest });
    const resources = { requests: { storage: "2Gi" } };
    await kubectl.apply(
      all(
        volume("volume-1", "1Gi"),
        volume("volume-3", "3Gi"),
        volume("volume-9", "9Gi"),
        manifest("v1", "PersistentVolumeClaim", "data", { ...rest, resources }),
      ),
    );
    await kubectl.run("wait", "pvc/data", "--for=jsonpath={.status.phase}=Bound", "--timeout=60s");
    expect(await kubectl.run("get", "pvc", "data")).toMatch(
      /^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS +VOLUMEATTRIBUTESCLASS +AGE\ndata +Bound +volume-3 +3Gi +RWO +of-the-cluster-suite +<unset> +\S+\n$/,
    );
    expect(await kubectl.run("get", "pv", "volume-3", "--no-headers")).toMatch(
      /^volume-3 +3Gi +RWO +Retain +Bound +cluster\/data +of-the-cluster-suite +<unset> +\S+\n$/,
    );
  });

  it("the parts of the control plane have leases, and none is a cloud's (CTL-08, CTL-09)", async () => {
    const table = await waitFor("all leases", async () => {
      const text = await kubectl.run("get", "lease", "-n", "kube-system");
      return text.split("\n").length > 4 && text;
    });
    const [header, ...rows] = table.trim().split("\n");
    expect(header).toMatch(/^NAME +HOLDER +AGE *$/);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(new RegExp(`^(apiserver-[a-z2-7]{26}) +\\1_${UUID} +\\S+$`));
    expect(rows[1]).toMatch(new RegExp(`^kube-controller-manager +\\S+_${UUID} +\\S+$`));
    expect(rows[2]).toMatch(new RegExp(`^kube-scheduler +\\S+_${UUID} +\\S+$`));
    const leases = await kubectl.run("get", "lease", "-n", "kube-node-lease");
    expect(leases).toMatch(/^worker-1 +worker-1 +\S+$/m);
    expect(await kubectl.run("get", "pods,leases,nodes", "-A", "-o", "yaml")).not.toContain("cloud");
  });

  it("a node of the control plane shows its role and keeps others off (NODE-12, NODE-13)", async () => {
    const role = "node-role.kubernetes.io/control-plane";
    await nodes().add("master-1", { labels: { [role]: "" }, taints: [{ key: role, effect: "NoSchedule" }] });
    const table = await kubectl.run("get", "nodes", "master-1", "worker-1");
    expect(table).toMatch(
      /^NAME +STATUS +ROLES +AGE +VERSION *\nmaster-1 +Ready +control-plane +\S+ .*\nworker-1 +Ready +<none> +/,
    );
    const describedTaints = async () => /^Taints: +(.*)$/m.exec(await kubectl.run("describe", "node", "master-1"))?.[1];
    expect(await describedTaints()).toBe(`${role}:NoSchedule`);
    const spec = {
      nodeSelector: { "kubernetes.io/hostname": "master-1" },
      containers: [{ name: "main", image: "app:1" }],
    };
    await kubectl.apply(manifest("v1", "Pod", "ordinary", spec));
    const condition = "condition=PodScheduled";
    await kubectl.run("wait", "pod/ordinary", `--for=${condition}=false`, "--timeout=60s");
    await kubectl.run("taint", "node", "master-1", `${role}-`); // as kind does with its only node
    expect(await describedTaints()).toBe("<none>");
    await kubectl.run("wait", "pod/ordinary", "--for=condition=Ready", "--timeout=60s");
  });
}
