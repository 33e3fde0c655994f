import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";

export interface StandIn {
  /** `http://127.0.0.1:<port>` */
  endpoint: string;
  /** Starts workerd again on the same data and port after `kill`. */
  start(): Promise<void>;
  /** Ends workerd the hard way. */
  kill(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** A workerd of its own, with the real NodeSession in front of a stand-in API (control-plane/gateway/testing). */
export async function startStandIn(): Promise<StandIn> {
  const home = await mkdtemp(path.join(tmpdir(), "hearth-tunnel-"));
  const port = await freePort();
  await build({
    entryPoints: [path.join(import.meta.dirname, "../../control-plane/gateway/testing/stand-in-worker.ts")],
    outfile: path.join(home, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
  });
  await writeFile(path.join(home, "workerd.capnp"), configText(home, port));
  let child: ChildProcess | undefined;
  const standIn: StandIn = {
    endpoint: `http://127.0.0.1:${port}`,
    async start() {
      const binary = createRequire(import.meta.url).resolve("workerd/bin/workerd");
      // It must not outlive a test run that is killed.
      const command = ["--pdeathsig", "KILL", "--", binary, "serve", path.join(home, "workerd.capnp")];
      child = spawn("setpriv", command, { stdio: ["ignore", "inherit", "inherit"] });
      while (!(await answers(standIn.endpoint))) {
        if (child.exitCode !== null) throw new Error(`workerd ended with ${child.exitCode}`);
        await sleep(20);
      }
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child?.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
    async stop() {
      await standIn.kill();
      await rm(home, { recursive: true, force: true });
    },
  };
  await standIn.start();
  return standIn;
}

function configText(home: string, port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-10-01",
      bindings = [(name = "NODES", durableObjectNamespace = (className = "NodeSession"))],
      durableObjectNamespaces = [(className = "NodeSession", uniqueKey = "NodeSession", enableSql = true)],
      durableObjectStorage = (localDisk = "data"),
    )),
    (name = "data", disk = (path = "${home}", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    () => true,
    () => false,
  );
}
