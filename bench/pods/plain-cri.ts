import { performance } from "node:perf_hooks";
import type { CriClient, SandboxConfig } from "../../agent/cri/index.ts";

/** What the runtime itself needs for a sandbox with its network and one container, by plain calls. */
export async function startPlain(cri: CriClient, name: string, image: string): Promise<{ ms: number; id: string }> {
  const sandbox: SandboxConfig = {
    metadata: { name, namespace: "plain", uid: name, attempt: 0 },
    hostname: name,
    logDirectory: `/tmp/hearth-bench-logs/${name}`,
    dnsConfig: { servers: ["10.96.0.10"], searches: [], options: [] },
    labels: {},
    annotations: {},
    linux: {},
  };
  const startMs = performance.now();
  const id = await cri.runPodSandbox(sandbox);
  const container = await cri.createContainer(
    id,
    {
      metadata: { name: "main", attempt: 0 },
      image: { image },
      labels: {},
      annotations: {},
      logPath: "main/0.log",
      linux: {},
    },
    sandbox,
  );
  await cri.startContainer(container);
  return { ms: performance.now() - startMs, id };
}

export async function removePlain(cri: CriClient, id: string): Promise<void> {
  await cri.stopPodSandbox(id);
  await cri.removePodSandbox(id);
}
