import { Agent, fetch } from "undici";
import { waitFor } from "../../harness/wait-for.ts";
import type { Qemu } from "./qemu.ts";

/** A script may take long, and says nothing before it has ended. */
const PATIENT = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
/** It takes half a minute on a quiet machine. */
const BOOT_TIMEOUT_MS = 20 * 60_000;

/** The system in the virtual machine, through its shell. */
export class Guest {
  readonly qemu: Qemu;

  constructor(qemu: Qemu) {
    this.qemu = qemu;
  }

  /** Runs a bash script in the guest. @returns stdout @throws Error with both outputs when it exits with anything but 0 */
  async run(script: string): Promise<string> {
    const url = `http://127.0.0.1:${this.qemu.port}/`;
    const response = await fetch(url, { method: "POST", body: script, dispatcher: PATIENT });
    const { code, stdout, stderr } = (await response.json()) as { code: number; stdout: string; stderr: string };
    if (code !== 0) throw new Error(`in the guest: ${script}\nexited with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  /** A file's content without the white space around it; undefined where there is none. */
  async read(path: string): Promise<string | undefined> {
    const text = await this.run(`cat '${path}' 2>/dev/null || true`);
    return text === "" ? undefined : text.trim();
  }

  async untilReachable(): Promise<void> {
    await waitFor("the guest's shell", () => this.run("echo ready"), { timeoutMs: BOOT_TIMEOUT_MS }).catch(
      (cause: unknown) => {
        throw new Error(`the virtual machine did not start; its console:\n${this.qemu.console()}`, { cause });
      },
    );
  }
}
