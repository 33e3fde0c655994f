import { afterAll, beforeAll, expect, it } from "vitest";
import { NO_CPU_OPTIONS, readNumaNodes, readTopology } from "../../agent/cpumanager/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { createPinning } from "../../agent/pinning/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;
/** As the disk has it. */
const saved: { cpus?: string; memory?: string } = {};
/** Two CPUs of the machine, each in a NUMA node of our own making: with more the node would have too little for the test. */
const cpus = (await readTopology()).slice(0, 2).map((cpu, index) => ({ ...cpu, numa: 1 - index }));

async function startKubelet(): Promise<void> {
  const checkpoint = (part: "cpus" | "memory") => ({
    file: part,
    load: async () => saved[part],
    save: async (text: string) => {
      saved[part] = text;
    },
  });
  const [first] = await readNumaNodes();
  node.pinning = await createPinning({
    cpus: { topology: cpus, reserved: [cpus[0]!.cpu], options: NO_CPU_OPTIONS, checkpoint: checkpoint("cpus") },
    // All of the memory is where there is a CPU to be had: the other one is reserved.
    memory: {
      machine: [{ ...first!, node: 0 }],
      reserved: new Map(),
      checkpoint: checkpoint("memory"),
    },
    alignment: { policy: "single-numa-node", scope: "container", machine: { nodes: [0, 1] } },
    setCpus: (id, resources) => node.cri.updateContainerResources(id, resources),
    onFailure: () => {},
  });
  kubelet = await node.startKubelet();
}

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  await startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const amounts = (cpu: string) => ({ cpu, memory: "32Mi" });
const asking = (cpu: string) => ({
  name: "main",
  image: "busybox:1.37",
  command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"],
  resources: { requests: amounts(cpu), limits: amounts(cpu) },
});
const allowed = async (name: string) =>
  Object.fromEntries(
    [...(await node.exec(name, "cat /proc/self/status")).matchAll(/^(Cpus|Mems)_allowed_list:\s*(\S+)$/gm)].map(
      ([, what, list]) => [what, list],
    ),
  );

it.skipIf(cpus.length < 2)(
  "binds a guaranteed container to a CPU and a NUMA node, over a restart of the agent, and gives them back",
  async () => {
    await node.run("pinned", { containers: [asking("1")] });
    await node.ready("pinned");
    const own = await allowed("pinned");
    const { cpu } = cpus.find(({ numa }) => numa === 0)!;
    expect(own).toEqual({ Cpus: String(cpu), Mems: "0" });
    await kubelet.stop();
    await startKubelet();
    await node.run("sharing", { containers: [asking("100m")] });
    await node.ready("sharing");
    expect((await allowed("sharing"))["Cpus"]!.split(/[,-]/)).not.toContain(String(cpu));
    expect(await allowed("pinned")).toEqual(own);

    await node.run("wide", { containers: [asking("2")] });
    await waitFor("the refusal", () => node.pod("wide")?.status?.phase === "Failed");
    expect(node.pod("wide")!.status).toMatchObject({ reason: "OutOfcpu" });
    await node.delete("pinned", 0);
    await waitFor("the pod to go", () => node.pod("pinned") === undefined);
    await node.delete("sharing", 0);
    await waitFor("both to go", () => node.pod("sharing") === undefined);

    // There is room for it, and it is not together.
    await node.run("wide-again", { containers: [asking("2")] });
    await waitFor("the refusal", () => node.pod("wide-again")?.status?.phase === "Failed");
    expect(node.pod("wide-again")!.status).toMatchObject({
      reason: "TopologyAffinityError",
      message: "Pod was rejected: Resources cannot be allocated with Topology locality",
    });
    expect(JSON.parse(saved.cpus!)).toEqual({});
  },
);
