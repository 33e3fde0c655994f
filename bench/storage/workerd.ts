import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";

const CLASSES = { STORES: "ResourceStore", CONTROLLERS: "Recorder", SCHEDULERS: "SecondRecorder" };

/** Starts a workerd of its own with the benchmark's Worker, its data under a directory. */
export async function startWorkerd(
  directory: string,
): Promise<{ url: string; pid: number; stop: () => Promise<void> }> {
  await build({
    entryPoints: [join(import.meta.dirname, "../../control-plane/storage/testdata/bench-worker.ts")],
    outfile: join(directory, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*", "node:*"],
  });
  mkdirSync(join(directory, "data"));
  writeFileSync(join(directory, "workerd.capnp"), renderConfig(join(directory, "data")));
  const workerd = createRequire(import.meta.url).resolve("workerd/bin/workerd");
  const child = spawn(workerd, ["serve", "--control-fd=3", join(directory, "workerd.capnp")], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdio[3]!.once("data", (line: Buffer) =>
      resolve((JSON.parse(line.toString().split("\n")[0]!) as { port: number }).port),
    );
    child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop };
}

function renderConfig(dataDirectory: string): string {
  const bindings = Object.entries(CLASSES).map(
    ([name, className]) => `(name = "${name}", durableObjectNamespace = (className = "${className}"))`,
  );
  const namespaces = Object.values(CLASSES).map(
    (className) => `(className = "${className}", uniqueKey = "bench-${className}", enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-10-01",
      bindings = [${bindings.join(", ")}],
      durableObjectNamespaces = [${namespaces.join(", ")}],
      durableObjectStorage = (localDisk = "data"),
    )),
    (name = "data", disk = (path = ${JSON.stringify(dataDirectory)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}
