/**
 * Runs in the guest: a shell over HTTP for the tests on the host. Not a service for anybody else: QEMU forwards its port
 * to the host's loopback alone.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const PORT = 2222;

/** POST a script to `/`: what it printed and its exit code come back as JSON. */
createServer((request, response) => {
  let script = "";
  request.setEncoding("utf8").on("data", (text: string) => {
    script += text;
  });
  request.on("end", () => {
    const child = spawn("/bin/bash", ["-c", script], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("exit", (code, signal) => {
      // Not "close": what a script leaves running in the background may hold its outputs open.
      setImmediate(() => response.end(JSON.stringify({ code: code ?? 128, signal, stdout, stderr })));
    });
  });
}).listen(PORT, "0.0.0.0");
