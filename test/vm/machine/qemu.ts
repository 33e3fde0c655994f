import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { waitFor } from "../../harness/wait-for.ts";
import type { RootImage } from "./root-image.ts";

const CPUS = 2;
const MEMORY_MIB = 1024;
/** Where the guest's exec-server.ts listens. */
const GUEST_PORT = 2222;
const CONSOLE_TAIL = 2_000;

export interface QemuOptions {
  image: RootImage;
  /** A qcow2 overlay of the image's disk. Written to. */
  overlay: string;
  /** A second disk for the guest, read-only. A snapshot can only be loaded beside one of the same size. */
  payload: string;
  /** For the monitor's socket and the console's log. */
  dir: string;
  /** A snapshot in the overlay to start from. */
  load?: string;
}

/** A running virtual machine: a process of ours and its monitor. */
export class Qemu {
  /** On the host's loopback; leads to the guest's shell. */
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #dir: string;
  #monitor: Monitor | undefined;

  private constructor(child: ChildProcess, dir: string, port: number) {
    this.#process = child;
    this.#dir = dir;
    this.port = port;
  }

  static async start({ image, overlay, payload, dir, load }: QemuOptions): Promise<Qemu> {
    const port = await freePort();
    const socket = join(dir, "monitor");
    rmSync(socket, { force: true });
    // Without -cpu max and virtio-rng the kernel's random pool, and containerd with it, is ready many seconds later.
    const child = spawn(
      "setpriv",
      [
        // It ends with us, however we end.
        ...["--pdeathsig", "KILL", "qemu-system-x86_64"],
        ...["-nodefaults", "-display", "none", "-no-reboot"],
        ...["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", String(CPUS), "-m", String(MEMORY_MIB)],
        ...["-kernel", image.kernel, "-initrd", image.initramfs],
        ...["-append", "console=ttyS0 quiet panic=-1 mitigations=off net.ifnames=0 systemd.show_status=0 hugepages=16"],
        ...["-drive", `file=${overlay},format=qcow2,if=virtio,cache=unsafe`],
        ...["-drive", `file=${payload},format=raw,if=virtio,readonly=on`],
        ...["-netdev", `user,id=n0,hostfwd=tcp:127.0.0.1:${port}-:${GUEST_PORT}`],
        ...["-device", "virtio-net-pci,netdev=n0,romfile=", "-device", "virtio-rng-pci"],
        ...["-serial", `file:${join(dir, "console.log")}`, "-qmp", `unix:${socket},server=on,wait=off`],
        ...(load === undefined ? [] : ["-loadvm", load]),
      ],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    const qemu = new Qemu(child, dir, port);
    await waitFor("QEMU's monitor", () => existsSync(socket) || qemu.#hasEnded());
    qemu.#monitor = await Monitor.connect(socket);
    return qemu;
  }

  /** A command of the human monitor. @throws Error with what the monitor answers, if it answers anything */
  async monitor(line: string): Promise<void> {
    const answer = await this.#monitor!.execute("human-monitor-command", { "command-line": line });
    if (answer) throw new Error(`${line}: ${String(answer)}`);
  }

  /** The end of what the guest's kernel and systemd have printed. */
  console(): string {
    return readFileSync(join(this.#dir, "console.log"), "utf8").slice(-CONSOLE_TAIL);
  }

  /** At once, as a power cut. */
  async stop(): Promise<void> {
    this.#monitor?.close();
    if (this.#hasEnded()) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
  }

  #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }
}

/** QMP: a JSON object a line; one command at a time. */
class Monitor {
  readonly #socket: Socket;
  #text = "";
  #waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    socket.on("close", () => this.#waiting?.reject(new Error("QEMU has ended")));
  }

  static async connect(path: string): Promise<Monitor> {
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    const monitor = new Monitor(socket);
    await monitor.execute("qmp_capabilities");
    return monitor;
  }

  execute(command: string, args?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line) as { return?: unknown; error?: { desc: string } };
      if (message.error) this.#waiting?.reject(new Error(message.error.desc));
      else if ("return" in message) this.#waiting?.resolve(message.return);
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
