import { messageOf } from "../shared/message-of.ts";
import { startControlPlane } from "./control-plane.ts";
import { progress, UserError } from "./errors.ts";
import { findHome, type Home, prepareHome } from "./home.ts";
import { prepareRuntime, startNode } from "./node.ts";

export interface UpOptions {
  port?: number;
  node: boolean;
  clusterCidr?: string;
  serviceClusterIpRange?: string;
  nodeIp?: string;
}

export async function up(options: UpOptions): Promise<void> {
  const home = findHome();
  prepareHome(home);
  // Both take their time; neither needs the other.
  const runtime = options.node ? prepareRuntime(home).then(() => undefined, reasonWhyNot) : undefined;
  const { api, wasRunning, readyMs } = await startControlPlane(home, options);
  progress(wasRunning ? "the control plane is running" : `the control plane is ready (${seconds(readyMs)})`);
  if (!options.node) return printNext(home, "kubectl get namespaces");
  const whyNot = await runtime;
  if (whyNot) {
    progress(`no node on this machine: ${whyNot.message}`);
    if (whyNot.hint) progress(`  ${whyNot.hint}`);
    progress(
      "to join one: print a token here with `./hearth token create`, and on the node run `./hearth agent join <token>`",
    );
    return printNext(home, "./hearth token create");
  }
  const startedMs = Date.now();
  const node = await startNode(home, api, options.nodeIp);
  progress(`node ${node} is Ready (${seconds(Date.now() - startedMs)})`);
  printNext(home, "kubectl get nodes");
}

/** A machine that cannot run pods is no failure of `up`; anything unforeseen is. */
function reasonWhyNot(error: unknown): UserError {
  if (error instanceof UserError) return error;
  return new UserError(messageOf(error), "./hearth logs containerd");
}

function printNext(home: Home, first: string): void {
  console.log(`
Next:
  export KUBECONFIG=${shellQuoted(home.kubeconfigFile)}
  ${first}
  kubectl create deployment web --image=nginx --replicas=3`);
}

/** As it may be pasted into a shell. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
