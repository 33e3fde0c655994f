import { spawn } from "node:child_process";

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** The real kubectl, on one cluster. `./hearth test` fetches it and names it in KUBECTL. */
export class Kubectl {
  readonly #kubeconfig: string;
  readonly #env: Record<string, string>;

  /** @param env for kubectl, besides the test's own: KUBE_EDITOR for one */
  constructor(kubeconfigFile: string, env: Record<string, string> = {}) {
    this.#kubeconfig = kubeconfigFile;
    this.#env = env;
  }

  /** @throws Error with both outputs when it exits with anything but 0 */
  async run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.finish(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} exited with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.run(...args, "-o", "json")) as T;
  }

  apply(manifest: string, ...args: string[]): Promise<string> {
    return this.finish(["apply", "-f", "-", ...args], manifest).then(({ code, stdout, stderr }) => {
      if (code !== 0) throw new Error(`kubectl apply exited with ${code}\n${stdout}${stderr}`);
      return stdout;
    });
  }

  /** Runs to the end, whatever the exit code. */
  finish(args: string[], stdin?: string): Promise<Finished> {
    return new Promise((resolve, reject) => {
      const child = this.start(args);
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code: code ?? (signal ? 128 : 1), stdout, stderr }));
      child.stdin.on("error", () => {}); // it may exit before it has read everything
      child.stdin.end(stdin);
    });
  }

  /** Starts it and leaves the rest to the caller, who ends it. */
  start(args: string[]) {
    return spawn(process.env["KUBECTL"] ?? "kubectl", args, {
      env: { ...process.env, ...this.#env, KUBECONFIG: this.#kubeconfig },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
}
