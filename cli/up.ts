import { startControlPlane } from "./control-plane.ts";
import { progress } from "./errors.ts";
import { findHome, prepareHome } from "./home.ts";

export async function up(options: { port?: number; node: boolean }): Promise<void> {
  const home = findHome();
  prepareHome(home);
  const { wasRunning, readyMs } = await startControlPlane(home, options.port);
  progress(
    wasRunning ? "the control plane is running" : `the control plane is ready (${(readyMs / 1000).toFixed(1)} s)`,
  );
  console.log(`
Next:
  export KUBECONFIG=${home.kubeconfigFile}
  kubectl get nodes
  kubectl create deployment web --image=nginx --replicas=3
  ./hearth status`);
}
