import { Kubectl } from "../../harness/kubectl.ts";
import { OwnCluster } from "../../harness/own-cluster.ts";
import { waitFor } from "../../harness/wait-for.ts";
import type { Guest } from "./guest.ts";
import { AGENT } from "./payload.ts";
import { type CgroupDriver, containerdDir } from "./root-image.ts";
import { startVirtualMachine, type VirtualMachine } from "./virtual-machine.ts";

/** QEMU's user network: the host, as the guest reaches it. */
const HOST = "10.0.2.2";
const UNIT = "hearth-agent";
/** Everything in the guest takes several times as long, and on a busy machine that again. */
const READY_TIMEOUT_MS = 10 * 60_000;
/** kubectl itself is a load. */
const POLL_MS = 1_000;
const MAX_DESCRIPTION = 4_000;

/** Of the first file that runs: a distribution is installed. */
export const SETUP_TIMEOUT_MS = 60 * 60_000;
export const TEST_TIMEOUT_MS = 20 * 60_000;

export const NODE_NAME = "vm";
export const STATE_DIR = "/var/lib/hearth";

/** A cluster on the host whose one node is the virtual machine. */
export class VmNode {
  readonly cluster: OwnCluster;
  readonly kubectl: Kubectl;
  readonly guest: Guest;
  readonly driver: CgroupDriver;
  readonly #machine: VirtualMachine;

  private constructor(cluster: OwnCluster, machine: VirtualMachine, driver: CgroupDriver) {
    this.cluster = cluster;
    this.kubectl = new Kubectl(cluster.kubeconfigFile);
    this.guest = machine.guest;
    this.driver = driver;
    this.#machine = machine;
  }

  /**
   * @param driver which of the guest's containerds it uses
   * @param configuration the agent's kubelet.yaml; may prepare the guest, and look at it
   */
  static async start(
    driver: CgroupDriver,
    configuration: (guest: Guest) => Promise<string> | string = () => "",
  ): Promise<VmNode> {
    const cluster = await OwnCluster.prepare();
    const [machine, up] = await Promise.allSettled([startVirtualMachine(), cluster.up("--no-node")]);
    if (machine.status === "rejected") {
      await cluster.remove();
      throw machine.reason;
    }
    const node = new VmNode(cluster, machine.value, driver);
    try {
      if (up.status === "rejected") throw up.reason;
      await node.#join();
      const text = await configuration(node.guest);
      await node.guest.run(`cat > ${STATE_DIR}/kubelet.yaml <<'END'\n${text}\nEND`);
      await node.startAgent();
      return node;
    } catch (error) {
      const log = await node.agentLog().catch(String);
      await node.remove();
      throw new Error(`the node did not start; its log:\n${log.slice(-4000)}`, { cause: error });
    }
  }

  async startAgent(): Promise<void> {
    const command = `/usr/local/bin/node ${AGENT} run --state-dir ${STATE_DIR}`;
    const properties = "-p KillMode=process -p Delegate=yes -p StandardOutput=append:/var/log/agent.log";
    await this.guest.run(`systemd-run -q --unit ${UNIT} -p OOMScoreAdjust=-999 ${properties} ${command}`);
    const status = '{.status.conditions[?(@.type=="Ready")].status}';
    await waitFor(
      "the node to be Ready",
      async () => (await this.kubectl.run("get", "node", NODE_NAME, "-o", `jsonpath=${status}`)) === "True",
      { timeoutMs: READY_TIMEOUT_MS, intervalMs: POLL_MS },
    );
  }

  /** The pods run on. */
  async stopAgent(): Promise<void> {
    await this.guest.run(`systemctl stop ${UNIT}; systemctl reset-failed ${UNIT} 2>/dev/null || true`);
  }

  agentLog(): Promise<string> {
    return this.guest.run("tail -n 100 /var/log/agent.log");
  }

  /** The cgroup of a pod's container, below /sys/fs/cgroup: where its first process is. */
  async cgroupOf(name: string): Promise<string> {
    const id = await this.kubectl.run("get", "pod", name, "-o", "jsonpath={.status.containerStatuses[0].containerID}");
    const found = await this.guest.run(`find /sys/fs/cgroup -type d -name '*${id.replace("containerd://", "")}*'`);
    return found.trim();
  }

  /** Files of a cgroup by name. @param directory of the guest */
  async cgroupFiles(directory: string, ...files: string[]): Promise<Record<string, string>> {
    const text = await this.guest.run(`cd ${directory} && for f in ${files.join(" ")}; do echo "$f=$(cat $f)"; done`);
    return Object.fromEntries(
      text
        .trim()
        .split("\n")
        .map((line) => line.split("=") as [string, string]),
    );
  }

  /** Watches, since asking again and again would slow down what is waited for. @throws Error with what the pods were last */
  async untilPods(phase: string, ...names: string[]): Promise<void> {
    const condition = `--for=jsonpath={.status.phase}=${phase}`;
    const timeout = `--timeout=${READY_TIMEOUT_MS / 1000}s`;
    const { code, stderr } = await this.kubectl.finish(["wait", "pod", ...names, condition, timeout]);
    if (code === 0) return;
    const now = await this.kubectl.finish(["describe", "pod", ...names]);
    throw new Error(`waited for ${names} to be ${phase}: ${stderr}${now.stdout.slice(-MAX_DESCRIPTION)}`);
  }

  async remove(): Promise<void> {
    await this.#machine.remove();
    await this.cluster.remove();
  }

  async #join(): Promise<void> {
    const token = await this.cluster.joinToken("--endpoint", `https://${HOST}:${this.cluster.port}`);
    const dir = containerdDir(this.driver);
    const options = [
      ...["--node-name", NODE_NAME, "--state-dir", STATE_DIR, "--no-service"],
      ...["--runtime-endpoint", `unix://${dir}/containerd.sock`, "--cni-config-dir", `${dir}/net.d`],
    ];
    await this.guest.run(`/usr/local/bin/node ${AGENT} join ${token} ${options.join(" ")}`);
  }
}
