import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";

/** What one suite works in: a namespace that its kubectl is in by default, and a directory for its files. */
export class Workspace {
  readonly kubectl: Kubectl;
  readonly namespace: string;
  readonly #directory: string;
  readonly #kubeconfigFile: string;

  private constructor(namespace: string, directory: string) {
    this.namespace = namespace;
    this.#directory = directory;
    this.#kubeconfigFile = join(directory, "kubeconfig");
    this.kubectl = new Kubectl(this.#kubeconfigFile);
  }

  static async create(cluster: OwnCluster, namespace: string): Promise<Workspace> {
    const directory = mkdtempSync(join(tmpdir(), `hearth-${namespace}-`));
    copyFileSync(cluster.kubeconfigFile, join(directory, "kubeconfig"));
    const workspace = new Workspace(namespace, directory);
    await workspace.kubectl.run("create", "namespace", namespace);
    await workspace.kubectl.run("config", "set-context", "--current", "--namespace", namespace);
    await waitFor("the default service account", () => workspace.kubectl.run("get", "serviceaccount", "default"));
    return workspace;
  }

  /** @returns the file's path. Folders are made as needed. */
  write(name: string, text: string): string {
    const file = join(this.#directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** A kubectl whose editor is `sed`. @param script as after `sed -i -e`, without a single quote */
  editingWith(script: string): Kubectl {
    return new Kubectl(this.#kubeconfigFile, { KUBE_EDITOR: `sed -i -e '${script}'` });
  }

  /** The namespace goes with the cluster. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The Deployment of the examples. */
export const webDeployment = ({ replicas = 3, image = "nginx:1.29" } = {}) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: ${replicas}
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: nginx
        image: ${image}
        ports:
        - containerPort: 80
`;

export const configMap = (name: string, rest = "") => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
${rest}
`;
