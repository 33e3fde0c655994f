import { randomBytes } from "node:crypto";
import { Kubectl } from "../../harness/kubectl.ts";
import { OwnCluster } from "../../harness/own-cluster.ts";
import { waitFor } from "../../harness/wait-for.ts";
import type { Guest } from "./guest.ts";
import { AGENT, SOCAT_ARCHIVE } from "./payload.ts";
import { type CgroupDriver, containerdDir } from "./root-image.ts";
import { startVirtualMachine, type VirtualMachine } from "./virtual-machine.ts";

/** QEMU's user network: the host, as the guest reaches it. */
const HOST = "10.0.2.2";
const READY_TIMEOUT_MS = 10 * 60_000;
/** kubectl itself is a load. */
const POLL_MS = 1_000;

export const SITES = ["home", "cloud"] as const;
export type Site = (typeof SITES)[number];
/** Each node uses one of the guest's containerds. */
const DRIVERS: Record<Site, CgroupDriver> = { home: "cgroupfs", cloud: "systemd" };
export const ADDRESSES: Record<Site, string> = { home: "192.168.1.10", cloud: "203.0.113.9" };
/** Of the home's router, on the internet. */
export const HOME_ROUTER = "198.51.100.7";

/**
 * The guest as four networks: a home behind its router, which changes addresses and lets nothing in; a cloud; and, in the
 * guest's own namespace, the internet between them, which has no route to either's private addresses.
 */
const NETWORK = `set -e
modprobe -a sctp wireguard
ip netns add home; ip netns add router; ip netns add cloud
ip -n home link add eth0 type veth peer name lan netns router
ip link add to-home type veth peer name wan netns router
ip -n cloud link add eth0 type veth peer name to-cloud netns 1
ip address add 198.51.100.1/24 dev to-home; ip link set to-home up
ip address add 203.0.113.1/24 dev to-cloud; ip link set to-cloud up
ip -n router address add 192.168.1.1/24 dev lan; ip -n router link set lan up; ip -n router link set lo up
ip -n router address add ${HOME_ROUTER}/24 dev wan; ip -n router link set wan up
ip -n router route add default via 198.51.100.1
ip -n home address add ${ADDRESSES.home}/24 dev eth0; ip -n home link set eth0 up; ip -n home link set lo up
ip -n home route add default via 192.168.1.1
ip -n cloud address add ${ADDRESSES.cloud}/24 dev eth0; ip -n cloud link set eth0 up; ip -n cloud link set lo up
ip -n cloud route add default via 203.0.113.1
for ns in /proc/1/ns/net /run/netns/router; do nsenter --net=$ns sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'; done
nsenter --net=/run/netns/router nft -f - <<'END'
table ip nat {
  chain postrouting { type nat hook postrouting priority srcnat; oifname "wan" masquerade; }
  chain forward { type filter hook forward priority filter; iifname "wan" ct state new drop; }
}
END
nft -f - <<'END'
table ip internet {
  counter encrypted { }
  counter pods { }
  counter else { }
  chain postrouting { type nat hook postrouting priority srcnat; oifname "eth0" masquerade; }
  chain forward {
    type filter hook forward priority filter;
    ip daddr ${HOST} accept
    ip saddr ${HOST} accept
    udp sport 51820 udp dport != 53 counter name encrypted accept
    udp dport 51820 counter name encrypted accept
    ip saddr 10.0.0.0/8 counter name pods drop
    ip daddr 10.0.0.0/8 counter name pods drop
    ip saddr 192.168.0.0/16 counter name pods drop
    counter name else
  }
}
END`;

/** Each containerd moves to its site; its network alone: mounts are to be seen by agent and runtime. */
const RUNTIMES = `
${SITES.map(
  (site) => `mkdir -p /run/systemd/system/containerd@${DRIVERS[site]}.service.d
cat > /run/systemd/system/containerd@${DRIVERS[site]}.service.d/site.conf <<'END'
[Service]
ExecStart=
ExecStart=/usr/bin/nsenter --net=/run/netns/${site} /usr/bin/containerd --config /etc/containerd/${DRIVERS[site]}.toml
END`,
).join("\n")}
systemctl daemon-reload
for unit in ${Object.values(DRIVERS)
  .map((driver) => `containerd@${driver}`)
  .join(" ")}; do
  systemctl restart $unit || { journalctl --no-pager -n 30 -u $unit; exit 1; }
done`;

/** A cluster on the host with two nodes in the virtual machine, at different sites. */
export class Sites {
  readonly cluster: OwnCluster;
  readonly kubectl: Kubectl;
  readonly guest: Guest;
  readonly #machine: VirtualMachine;

  private constructor(cluster: OwnCluster, machine: VirtualMachine) {
    this.cluster = cluster;
    this.kubectl = new Kubectl(cluster.kubeconfigFile);
    this.guest = machine.guest;
    this.#machine = machine;
  }

  static async start(): Promise<Sites> {
    const cluster = await OwnCluster.prepare();
    const [machine, up] = await Promise.allSettled([startVirtualMachine(), cluster.up("--no-node")]);
    if (machine.status === "rejected") {
      await cluster.remove();
      throw machine.reason;
    }
    const sites = new Sites(cluster, machine.value);
    try {
      if (up.status === "rejected") throw up.reason;
      await sites.guest.run(`${NETWORK}\n${RUNTIMES}`);
      await Promise.all(SITES.map((site) => sites.#startNode(site)));
      return sites;
    } catch (error) {
      const logs = await Promise.all(SITES.map((site) => sites.agentLog(site).catch(String)));
      await sites.remove();
      throw new Error(`the nodes did not start; their logs:\n${logs.join("\n\n").slice(-8000)}`, { cause: error });
    }
  }

  /** Runs a bash script in the guest, on a node's network. */
  on(site: Site | "router", script: string): Promise<string> {
    return this.guest.run(`nsenter --net=/run/netns/${site} /bin/bash -s <<'SCRIPT'\n${script}\nSCRIPT`);
  }

  /** Runs a shell's script in a container of a node, past agent and tunnel: a guest this slow has them busy. */
  inContainer(site: Site, id: string, script: string): Promise<string> {
    const exec = `tasks exec --exec-id trial-${randomBytes(4).toString("hex")} ${id}`;
    return this.guest.run(`ctr -a ${socketOf(site)} -n k8s.io ${exec} sh -c "$(cat <<'SCRIPT'\n${script}\nSCRIPT\n)"`);
  }

  async startAgent(site: Site): Promise<void> {
    const command = `nsenter --net=/run/netns/${site} /usr/local/bin/node ${AGENT} run --state-dir ${stateDir(site)}`;
    const properties = `-p KillMode=process -p Delegate=yes -p StandardOutput=append:/var/log/${site}.log`;
    await this.guest.run(`systemd-run -q --unit agent-${site} -p OOMScoreAdjust=-999 ${properties} ${command}`);
  }

  async stopAgent(site: Site): Promise<void> {
    await this.guest.run(`systemctl stop agent-${site}; systemctl reset-failed agent-${site} 2>/dev/null || true`);
  }

  /** Takes the node off the machine. Its agent has to be stopped. */
  async uninstall(site: Site): Promise<void> {
    await this.on(site, `/usr/local/bin/node ${AGENT} uninstall --state-dir ${stateDir(site)} --yes`);
  }

  agentLog(site: Site): Promise<string> {
    return this.guest.run(`tail -n 60 /var/log/${site}.log`);
  }

  /** What an annotation of a node says now. */
  async annotation(site: Site, name: string): Promise<string> {
    const path = `{.metadata.annotations.${name.replaceAll(".", "\\.")}}`;
    return this.kubectl.run("get", "node", site, "-o", `jsonpath=${path}`);
  }

  async remove(): Promise<void> {
    await this.#machine.remove();
    await this.cluster.remove();
  }

  async #startNode(site: Site): Promise<void> {
    const driver = DRIVERS[site];
    await this.guest.run(`ctr -a ${socketOf(site)} -n k8s.io images import ${SOCAT_ARCHIVE}`);
    console.log(`the node ${site} joins`);
    const token = await this.cluster.joinToken("--endpoint", `https://${HOST}:${this.cluster.port}`);
    const options = [
      ...["--node-name", site, "--state-dir", stateDir(site), "--no-service", "--instance", site],
      ...["--runtime-endpoint", `unix://${socketOf(site)}`, "--cni-config-dir", `${containerdDir(driver)}/net.d`],
    ];
    await this.on(site, `/usr/local/bin/node ${AGENT} join ${token} ${options.join(" ")}`);
    await this.startAgent(site);
    const status = '{.status.conditions[?(@.type=="Ready")].status}';
    await waitFor(
      `${site} to be Ready`,
      async () => (await this.kubectl.run("get", "node", site, "-o", `jsonpath=${status}`)) === "True",
      { timeoutMs: READY_TIMEOUT_MS, intervalMs: POLL_MS },
    );
    console.log(`the node ${site} is ready`);
  }
}

const socketOf = (site: Site) => `${containerdDir(DRIVERS[site])}/containerd.sock`;

export const stateDir = (site: Site) => `/var/lib/hearth-${site}`;
