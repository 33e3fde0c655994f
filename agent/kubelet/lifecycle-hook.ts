import { messageOf } from "../../shared/message-of.ts";
import { type Container, type LifecycleHandler, type Pod, printPod } from "../api/index.ts";
import { httpGet, PLAIN_HTTP } from "../probes/index.ts";
import type { KubeletDeps } from "./deps.ts";
import { observePod } from "./observe.ts";

export type HookDeps = Pick<KubeletDeps, "cri" | "clock" | "events" | "node">;

/**
 * Runs a postStart or preStop hook. An HTTP hook succeeds with any answer: only a request that cannot be made fails.
 * tcpSocket is in the API for old manifests alone; it fails here as it does upstream.
 * @param timeoutSeconds what is waited for at most
 * @throws Error in upstream's words if the hook fails
 */
export async function runHook(
  deps: HookDeps,
  { pod, container, containerId }: { pod: Pod; container: Container; containerId: string },
  hook: LifecycleHandler,
  timeoutSeconds: number,
): Promise<void> {
  const where = `for Container "${container.name}" in Pod "${printPod(pod)}" failed - error:`;
  if (hook.exec) {
    const command = hook.exec.command ?? [];
    const { error, output } = await runCommand(deps, containerId, command, timeoutSeconds);
    if (error === undefined) return;
    throw new Error(`Exec lifecycle hook ([${command.join(" ")}]) ${where} ${error}, message: ${quote(output)}`);
  }
  if (hook.httpGet) {
    await runHttpHook(deps, { pod, container }, hook.httpGet, timeoutSeconds * 1000).catch((cause: unknown) => {
      throw new Error(`HTTP lifecycle hook (${hook.httpGet?.path ?? ""}) ${where} ${messageOf(cause)}`, { cause });
    });
  } else if (hook.sleep) {
    await deps.clock.sleep(Math.min(hook.sleep.seconds, timeoutSeconds) * 1000);
  } else {
    throw new Error("Cannot run handler: invalid handler: only exec, httpGet and sleep can be run");
  }
}

/** A status message holds no more. */
const MAX_OUTPUT_CHARS = 1024;

const quote = (output: string) => JSON.stringify(output.slice(0, MAX_OUTPUT_CHARS));

async function runCommand(
  { cri }: HookDeps,
  containerId: string,
  command: string[],
  timeoutSeconds: number,
): Promise<{ error?: string; output: string }> {
  try {
    const { exitCode, stdout, stderr } = await cri.execSync(containerId, command, timeoutSeconds);
    const output = Buffer.concat([stdout, stderr]).toString("utf8");
    if (exitCode === 0) return { output };
    return { error: `command '${command.join(" ")}' exited with ${exitCode}: ${stderr.toString("utf8")}`, output };
  } catch (error) {
    return { error: messageOf(error), output: "" };
  }
}

async function runHttpHook(
  { cri, events, node }: HookDeps,
  { pod, container }: { pod: Pod; container: Container },
  action: NonNullable<LifecycleHandler["httpGet"]>,
  timeoutMs: number,
): Promise<void> {
  const observed = action.host || pod.spec.hostNetwork ? undefined : await observePod(cri, pod.metadata.uid);
  const host = action.host || (pod.spec.hostNetwork ? node.hostIps[0] : observed?.sandboxes[0]?.ips[0]);
  if (!host) throw new Error("failed to find networking container");
  const options = { container, host, agent: "lifecycle" as const, timeoutMs };
  try {
    await httpGet(action, options);
  } catch (error) {
    if (!(error as Error).message.includes(PLAIN_HTTP)) throw error;
    // Such hooks worked when the kubelet ignored the scheme, so they go on working.
    await httpGet(
      { ...action, scheme: "HTTP", httpHeaders: action.httpHeaders?.filter(({ name }) => !isSecret(name)) },
      options,
    );
    const address = `${host}:${action.port}`;
    events.forPod(pod)(
      "Warning",
      "LifecycleHTTPFallback",
      `request to HTTPS lifecycle hook ${address} got HTTP response, retry with HTTP succeeded`,
    );
  }
}

/** Was meant for an encrypted connection. */
const isSecret = (header: string) => header.toLowerCase() === "authorization";
