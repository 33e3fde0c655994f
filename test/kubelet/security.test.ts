import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Container, Pod } from "../../agent/api/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

/** Where the kubelet looks for a node's own profiles; the test's go again. */
const SECCOMP_ROOT = "/var/lib/kubelet/seccomp";
const PROFILE = `hearth-test-${process.pid}.json`;
const hadSeccompRoot = existsSync(SECCOMP_ROOT);

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
  rmSync(hadSeccompRoot ? join(SECCOMP_ROOT, PROFILE) : SECCOMP_ROOT, { recursive: true, force: true });
});

const sleeper = (name: string, securityContext: Container["securityContext"] = {}): Container => ({
  name,
  image: "busybox:1.37",
  imagePullPolicy: "IfNotPresent",
  command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"],
  securityContext,
});

/** A line of /proc/<pid>/status of a container's shell. */
async function statusOf(pod: string, container: string, field: string): Promise<string> {
  const text = await node.exec(pod, `grep ^${field}: /proc/self/status`, container);
  return text.split(":")[1]!.trim();
}

const ALL_CAPABILITIES = () => /^CapBnd:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))![1]!;
const has = (mask: string, bit: number) => ((BigInt(`0x${mask}`) >> BigInt(bit)) & 1n) === 1n;
const [CAP_CHOWN, CAP_NET_RAW, CAP_SYS_TIME] = [0, 13, 25];

describe("securityContext of containers", () => {
  beforeAll(async () => {
    mkdirSync(SECCOMP_ROOT, { recursive: true });
    const noMkdir = {
      defaultAction: "SCMP_ACT_ALLOW",
      syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 1 }],
    };
    writeFileSync(join(SECCOMP_ROOT, PROFILE), JSON.stringify(noMkdir));
    await node.run("secured", {
      securityContext: {
        supplementalGroups: [4001],
        fsGroup: 4002,
        sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }],
      },
      containers: [
        sleeper("plain"),
        sleeper("user", { runAsUser: 1001, runAsGroup: 2001, runAsNonRoot: true }),
        sleeper("caps", { capabilities: { add: ["SYS_TIME"], drop: ["NET_RAW"] } }),
        sleeper("none", { capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false }),
        sleeper("seccomp", { seccompProfile: { type: "RuntimeDefault" } }),
        sleeper("profile", { seccompProfile: { type: "Localhost", localhostProfile: PROFILE } }),
        sleeper("fixed", { readOnlyRootFilesystem: true }),
        sleeper("unmasked", { procMount: "Unmasked" }),
        sleeper("privileged", { privileged: true }),
      ],
    });
    await node.ready("secured");
  });

  it("runs as the user and the groups that are asked for", async () => {
    expect(await node.exec("secured", "id -u; id -g; id -G", "user")).toBe("1001\n2001\n2001 4001 4002\n");
    expect(await node.exec("secured", "id -u", "plain")).toBe("0\n");
  });

  it("adds and drops capabilities", async () => {
    const [plain, caps] = await Promise.all(["plain", "caps"].map((name) => statusOf("secured", name, "CapEff")));
    expect([has(plain!, CAP_NET_RAW), has(plain!, CAP_SYS_TIME)]).toEqual([true, false]);
    expect([has(caps!, CAP_NET_RAW), has(caps!, CAP_SYS_TIME), has(caps!, CAP_CHOWN)]).toEqual([false, true, true]);
    expect(BigInt(`0x${await statusOf("secured", "none", "CapEff")}`)).toBe(0n);
  });

  it("sets no_new_privs where nobody may become more", async () => {
    expect(await statusOf("secured", "none", "NoNewPrivs")).toBe("1");
    expect(await statusOf("secured", "plain", "NoNewPrivs")).toBe("0");
  });

  it("applies seccomp profiles: none, the runtime's, the node's own", async () => {
    const modes = ["plain", "seccomp", "profile"].map((name) => statusOf("secured", name, "Seccomp"));
    expect(await Promise.all(modes)).toEqual(["0", "2", "2"]);
    await expect(node.exec("secured", "mkdir /tmp/made", "profile")).rejects.toThrow("Operation not permitted");
    await node.exec("secured", "mkdir /tmp/made", "seccomp");
  });

  it("keeps a read-only root read-only", async () => {
    await expect(node.exec("secured", "touch /made", "fixed")).rejects.toThrow("Read-only file system");
    await node.exec("secured", "touch /made", "plain");
  });

  it("hides parts of /proc and /sys, and forbids writing to others, unless told not to", async () => {
    const mounts = (name: string) => node.exec("secured", "cat /proc/self/mounts", name);
    for (const path of ["/proc/keys", "/proc/timer_list", "/sys/firmware"]) {
      expect(await mounts("plain")).toContain(` ${path} tmpfs `);
    }
    expect(await mounts("plain")).toMatch(/^proc \/proc\/sys proc ro,/m);
    expect(await mounts("unmasked")).not.toMatch(/ \/proc\/(keys|sys|bus) /);
  });

  it("lets a privileged container do what root does on the node (SEC-27)", async () => {
    expect(await statusOf("secured", "privileged", "CapEff")).toBe(ALL_CAPABILITIES());
    expect(await statusOf("secured", "privileged", "Seccomp")).toBe("0");
    const devices = async (name: string) => (await node.exec("secured", "ls /dev", name)).trim().split("\n");
    expect(await devices("privileged")).toContain("kmsg");
    expect(await devices("plain")).not.toContain("kmsg");
    await node.exec("secured", "mount -t tmpfs none /tmp && umount /tmp", "privileged");
    await expect(node.exec("secured", "mount -t tmpfs none /tmp", "plain")).rejects.toThrow("ermission denied");
  });

  it("sets safe sysctls for the pod, and refuses the others", async () => {
    expect(await node.exec("secured", "cat /proc/sys/kernel/shm_rmid_forced", "plain")).toBe("1\n");
    await node.run("unsafe", {
      securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "10" }] },
      containers: [sleeper("main")],
    });
    await waitFor("the refusal", () => node.pod("unsafe")?.status?.reason === "SysctlForbidden");
    expect(node.pod("unsafe")!.status).toMatchObject({
      phase: "Failed",
      message: 'Pod was rejected: forbidden sysctl: "net.core.somaxconn" not allowlisted',
    });
  });
});

it.each<{ pod: string; securityContext: Container["securityContext"]; reason: string; message: RegExp }>([
  {
    pod: "root",
    securityContext: { runAsNonRoot: true },
    reason: "CreateContainerConfigError",
    message: /^container has runAsNonRoot and image will run as root \(pod: "root_default\(\S+\)", container: main\)$/,
  },
  {
    pod: "absent-profile",
    securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "absent.json" } },
    reason: "CreateContainerError",
    message: /cannot load seccomp profile "\/var\/lib\/kubelet\/seccomp\/absent\.json"/,
  },
  {
    pod: "nameless-profile",
    securityContext: { seccompProfile: { type: "Localhost" } },
    reason: "CreateContainerConfigError",
    message: /^localhostProfile must be set if seccompProfile type is Localhost\.$/,
  },
])("does not start $pod: $reason", async ({ pod, securityContext, reason, message }) => {
  await node.run(pod, { containers: [sleeper("main", securityContext)] });
  const waiting = () => node.pod(pod)?.status?.containerStatuses?.[0]?.state?.waiting;
  await waitFor(reason, () => waiting()?.reason === reason);
  expect(waiting()!.message).toMatch(message);
  await node.delete(pod, 0);
});

it("refuses AppArmor profiles where the kernel has none", async () => {
  await node.run("armored", { containers: [sleeper("main", { appArmorProfile: { type: "RuntimeDefault" } })] });
  await waitFor("the refusal", () => node.pod("armored")?.status?.reason === "AppArmor");
  expect(node.pod("armored")!.status!.message).toBe(
    "Pod was rejected: Cannot enforce AppArmor: AppArmor is not enabled on the host",
  );
});

describe("namespaces", () => {
  const spaces = ["pid", "ipc", "net", "uts"];
  const ofNode = () => spaces.map((kind) => readlinkSync(`/proc/self/ns/${kind}`));
  const ofPod = async (name: string) =>
    (await node.exec(name, spaces.map((kind) => `readlink /proc/self/ns/${kind}`).join(";"))).trim().split("\n");

  it.each<{ name: string; spec: Partial<Pod["spec"]>; shared: string[] }>([
    { name: "host-pid", spec: { hostPID: true }, shared: ["pid"] },
    { name: "host-ipc", spec: { hostIPC: true }, shared: ["ipc"] },
    { name: "host-net", spec: { hostNetwork: true }, shared: ["net", "uts"] },
  ])("$name: the node's $shared", async ({ name, spec, shared }) => {
    await node.run(name, { ...spec, containers: [sleeper("main")] });
    await node.ready(name);
    const [own, host] = [await ofPod(name), ofNode()];
    expect(spaces.filter((_, index) => own[index] === host[index])).toEqual(shared);
    await node.delete(name, 0);
  });

  it("shareProcessNamespace: all see each other, and pause is the first", async () => {
    await node.run("shared", { shareProcessNamespace: true, containers: [sleeper("a"), sleeper("b")] });
    await node.ready("shared");
    const processes = await node.exec("shared", "ps -o pid,args", "a");
    expect(processes).toMatch(/^ *1 .*\/pause$/m);
    expect(processes.match(/trap 'exit 0' TERM/g)).toHaveLength(2);
    await node.delete("shared", 0);
  });
});

describe("names", () => {
  it("hostname, subdomain and setHostnameAsFQDN, with /etc/hosts to match", async () => {
    await node.run("named", {
      hostname: "web-1",
      subdomain: "db",
      setHostnameAsFQDN: true,
      hostAliases: [
        { ip: "192.0.2.7", hostnames: ["a", "b"] },
        { ip: "192.0.2.8", hostnames: ["c"] },
      ],
      containers: [sleeper("main")],
    });
    await node.ready("named");
    const { podIP } = node.pod("named")!.status!;
    expect(await node.exec("named", "hostname; cat /etc/hosts")).toBe(`web-1.db.default.svc.cluster.local
# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
${podIP}\tweb-1.db.default.svc.cluster.local\tweb-1

# Entries added by HostAliases.
192.0.2.7\ta\tb
192.0.2.8\tc
`);
    await node.delete("named", 0);
  });

  it("hostnameOverride is all of the name; in the host's network the node's hosts are taken over", async () => {
    await node.run("over", {
      hostname: "x",
      subdomain: "y",
      hostnameOverride: "z.example",
      containers: [sleeper("main")],
    });
    await node.run("hosts", {
      hostNetwork: true,
      hostAliases: [{ ip: "192.0.2.7", hostnames: ["a"] }],
      containers: [sleeper("main")],
    });
    await node.ready("over");
    await node.ready("hosts");
    expect(await node.exec("over", "hostname")).toBe("z.example\n");
    expect(await node.exec("over", "tail -n 1 /etc/hosts")).toBe(`${node.pod("over")!.status!.podIP}\tz.example\n`);
    const own = readFileSync("/etc/hosts", "utf8");
    expect(await node.exec("hosts", "cat /etc/hosts")).toBe(
      `# Kubernetes-managed hosts file (host network).\n${own}\n# Entries added by HostAliases.\n192.0.2.7\ta\n`,
    );
    expect(await node.exec("hosts", "cat /etc/resolv.conf")).toContain("nameserver 192.0.2.53\n");
    for (const name of ["over", "hosts"]) await node.delete(name, 0);
  });

  it("a name that the kernel has no room for: FailedCreatePodSandBox", async () => {
    const name = "n".repeat(60);
    await node.run(name, { subdomain: "db", setHostnameAsFQDN: true, containers: [sleeper("main")] });
    const fqdn = `${name}.db.default.svc.cluster.local`;
    const want = `FailedCreatePodSandBox Failed to create pod sandbox: failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (64 characters is the max, ${fqdn.length} characters requested)`;
    await waitFor("the event", () => node.events(name).includes(want));
    const attempts = () =>
      node.logs.filter((line) => line.includes("cannot prepare a pod") && line.includes(name)).length;
    // It is tried again, but not in a loop.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(attempts()).toBe(1);
    await node.delete(name, 0);
  });

  it("resolv.conf by dnsConfig, cut to what fits, with an event that says so", async () => {
    await node.run("dns", {
      dnsPolicy: "None",
      dnsConfig: {
        nameservers: ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"],
        searches: Array.from({ length: 33 }, (_, index) => `d${index}.example`),
        options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
      },
      containers: [sleeper("main")],
    });
    await node.ready("dns");
    const search = Array.from({ length: 32 }, (_, index) => `d${index}.example`).join(" ");
    expect(await node.exec("dns", "cat /etc/resolv.conf")).toBe(
      `search ${search}\nnameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\noptions ndots:2 edns0\n`,
    );
    await waitFor("both events", () => {
      const told = node.events("dns").filter((event) => event.startsWith("DNSConfigForming"));
      return told.length === 2 && told;
    });
    expect(node.events("dns").filter((event) => event.startsWith("DNSConfigForming"))).toEqual([
      "DNSConfigForming Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 192.0.2.1 192.0.2.2 192.0.2.3",
      `DNSConfigForming Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${search}`,
    ]);
    await node.delete("dns", 0);
  });
});
