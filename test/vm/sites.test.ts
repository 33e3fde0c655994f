import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { overlayName, PATHS_ANNOTATION, wireGuardName } from "../../agent/podnet/index.ts";
import type { Pod } from "../../shared/api/types.ts";
import { OFFER_ANNOTATION } from "../../shared/api/wireguard-offer.ts";
import { waitFor } from "../harness/wait-for.ts";
import { ADDRESSES, SETUP_TIMEOUT_MS, SITES, type Site, Sites, stateDir, TEST_TIMEOUT_MS } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

const PATIENCE = { timeoutMs: 10 * 60_000, intervalMs: 1_000 };
const NODE_PORT = 30_132;

/** Answers over TCP, UDP and SCTP with its name and who asks. */
const server = (name: Site) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: server, site: ${name} } }
spec:
  nodeName: ${name}
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  containers:
    - name: server
      image: alpine/socat:1.8.0.3
      command:
        - sh
        - -c
        - |
          echo 'echo ${name} to $SOCAT_PEERADDR' > /answer
          for listen in TCP-LISTEN:80 SCTP-LISTEN:80 SCTP-LISTEN:81 TCP-LISTEN:81; do
            socat $listen,fork,reuseaddr SYSTEM:'sh /answer' &
          done
          exec socat UDP-RECVFROM:80,fork SYSTEM:'sh /answer'
---
`;

/** The same port of each protocol, so that only the protocol tells them apart. */
const SERVICES = `
apiVersion: v1
kind: Service
metadata: { name: both }
spec:
  selector: { app: server }
  ports: [{ name: sctp, protocol: SCTP, port: 80 }, { name: tcp, protocol: TCP, port: 80 }]
---
apiVersion: v1
kind: Service
metadata: { name: cloud }
spec:
  type: NodePort
  selector: { site: cloud }
  ports: [{ name: sctp, protocol: SCTP, port: 80, nodePort: ${NODE_PORT} }]
---
apiVersion: v1
kind: Service
metadata: { name: nobody }
spec:
  selector: { app: nobody }
  ports: [{ protocol: SCTP, port: 80 }]
---
`;

const POLICY = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: only-sctp }
spec:
  podSelector: { matchLabels: { site: cloud } }
  policyTypes: [Ingress]
  ingress: [{ from: [{ podSelector: { matchLabels: { site: home } } }], ports: [{ protocol: SCTP, port: 80 }] }]
`;

let sites: Sites;
const address = new Map<Site, string>();
const container = new Map<Site, string>();

beforeAll(async () => {
  sites = await Sites.start();
  // Pods get what fits through the ways that there are when they are made.
  await Promise.all(SITES.map((site) => untilPathIs(site, "wireguard")));
  await sites.kubectl.apply(SITES.map(server).join("") + SERVICES);
  await sites.kubectl.run("wait", "pod", ...SITES, "--for=condition=Ready", "--timeout=600s");
  for (const site of SITES) {
    const { status } = await sites.kubectl.json<Pod>("get", "pod", site);
    address.set(site, status?.podIP ?? "");
    container.set(site, (status?.containerStatuses?.[0]?.containerID ?? "").replace("containerd://", ""));
  }
});
afterAll(() => sites?.remove());

const other = (site: Site): Site => (site === "home" ? "cloud" : "home");
const inPod = (site: Site, script: string) => sites.inContainer(site, container.get(site)!, script);
/** @param to socat's address, as `SCTP:10.96.0.9:80` */
const ask = async (from: Site, to: string) => (await inPod(from, `socat -T 30 -u ${to} -`)).trim();
/** In vain: it is told at once, or never. */
const cannotAsk = async (from: Site, to: string) =>
  expect(await ask(from, `${to},connect-timeout=3`).catch(() => "refused"), `${from} to ${to}`).toBe("refused");
const clusterIp = (name: string) => sites.kubectl.run("get", "service", name, "-o", "jsonpath={.spec.clusterIP}");
const device = (site: Site) => wireGuardName(site);
const untilPathIs = (site: Site, kind: string) =>
  waitFor(
    `${site} to reach ${other(site)}: ${kind}`,
    async () => JSON.parse(await sites.annotation(site, PATHS_ANNOTATION))[other(site)] === kind,
    PATIENCE,
  );
const bothWays = () =>
  Promise.all(
    SITES.map((site) =>
      waitFor(
        `an answer for ${site}`,
        async () =>
          (await ask(site, `TCP:${address.get(other(site))}:80`)) === `${other(site)} to ${address.get(site)}`,
        PATIENCE,
      ),
    ),
  );

interface Counted {
  encrypted: number;
  pods: number;
}
/** What the internet has seen. */
async function seen(): Promise<Counted> {
  const { nftables } = JSON.parse(await sites.guest.run("nft -j list counters table ip internet")) as {
    nftables: { counter?: { name: string; bytes: number } }[];
  };
  const bytes = (name: string) => nftables.find(({ counter }) => counter?.name === name)?.counter?.bytes ?? 0;
  return { encrypted: bytes("encrypted"), pods: bytes("pods") };
}
/** Received and sent, in bytes, by what the device itself has counted. */
async function transferred(site: Site): Promise<{ received: number; sent: number }> {
  const text = await sites.on(site, `wg show ${device(site)} transfer`);
  const [, received, sent] = text.trim().split("\t").map(Number);
  return { received: received!, sent: sent! };
}

it("nodes at two sites reach each other over WireGuard, and tell it", async () => {
  await bothWays();
  const home = await sites.on("home", `wg show ${device("home")} | sed 's/^ *//'`);
  expect(home).toContain(`endpoint: ${ADDRESSES.cloud}:51820`);
  expect(home).toContain("persistent keepalive: every 25 seconds");
  // Where the home's packets come from the cloud has learnt from them alone: its router's address.
  const cloud = await sites.on("cloud", `wg show ${device("cloud")} endpoints`);
  expect(cloud).toContain("198.51.100.7:");
  for (const site of SITES) {
    const key = `${stateDir(site)}/wireguard/private.key`;
    expect(await sites.guest.run(`stat -c '%a %U' ${key}`)).toBe("600 root\n");
    const offer = JSON.parse(await sites.annotation(site, OFFER_ANNOTATION));
    expect(await sites.guest.run(`wg pubkey < ${key}`)).toBe(`${offer.publicKey}\n`);
    // Until both ends are there the relay carries for a moment what the tunnel does not.
    await untilPathIs(site, "wireguard");
    expect(await sites.kubectl.run("describe", "node", site)).toContain(`{"${other(site)}":"wireguard"}`);
    expect((await inPod(site, "cat /sys/class/net/eth0/mtu")).trim()).toBe("1420");
    await expect(sites.on(site, `ip link show ${overlayName(site)}`)).rejects.toThrow();
  }
});

it("pods' packets pass encrypted, with their true addresses, over TCP, UDP and SCTP, and nothing else does", async () => {
  const megabyte = 2 ** 20;
  const before = { seen: await seen(), home: await transferred("home"), cloud: await transferred("cloud") };
  for (const site of SITES) {
    const pod = address.get(other(site))!;
    const want = `${other(site)} to ${address.get(site)}`;
    for (const protocol of ["TCP", "SCTP"]) expect(await ask(site, `${protocol}:${pod}:80`), protocol).toBe(want);
    // It is asked with a datagram, and nobody tells that no more answers come.
    expect((await inPod(site, `echo | socat -t 5 - UDP:${pod}:80`)).trim()).toBe(want);
  }
  const listening = inPod("cloud", "timeout 120 socat -u TCP-LISTEN:9,reuseaddr - | wc -c");
  const sent = waitFor("the bulk to be taken", () =>
    inPod("home", `dd if=/dev/zero bs=65536 count=16 | socat -u - TCP:${address.get("cloud")}:9 && echo sent`),
  );
  expect(Number(await listening)).toBe(megabyte);
  await sent;
  const after = { seen: await seen(), home: await transferred("home"), cloud: await transferred("cloud") };
  expect(after.home.sent - before.home.sent).toBeGreaterThan(megabyte);
  expect(after.cloud.received - before.cloud.received).toBeGreaterThan(megabyte);
  expect(after.seen.encrypted - before.seen.encrypted).toBeGreaterThan(megabyte);
  expect(after.seen.pods).toBe(0);
});

it("SVC: a Service over SCTP leads to endpoints at both sites, a node port to its pod, and one without endpoints refuses", async () => {
  const to = `SCTP:${await clusterIp("both")}:80`;
  for (const site of SITES) {
    const answers = new Set<string>();
    await waitFor(
      `both endpoints to answer ${site}`,
      async () => answers.add(await ask(site, to)).size === 2,
      PATIENCE,
    );
    expect([...answers].map((answer) => answer.split(" ")[0]).sort()).toEqual(["cloud", "home"]);
  }
  expect(await ask("home", `SCTP:${ADDRESSES.cloud}:${NODE_PORT}`)).toMatch(/^cloud to /);
  await cannotAsk("home", `SCTP:${await clusterIp("nobody")}:80`);
  // A router of the home has let them through by their ports alone: the home's address is nobody's out there.
  expect((await seen()).pods).toBe(0);
});

it("NP: a policy that lets SCTP in lets neither another port of it in, nor TCP, nor anybody else", async ({
  onTestFinished,
}) => {
  const pod = address.get("cloud");
  const isRefused = (to: string) => ask("home", to).then(String, () => true);
  const untilRefused = (what: string, to: string) =>
    waitFor(what, async () => (await isRefused(`${to},connect-timeout=3`)) === true, PATIENCE);
  onTestFinished(async () => {
    await sites.kubectl.run("delete", "networkpolicy", "only-sctp", "--ignore-not-found");
  });
  await sites.kubectl.apply(POLICY);
  await untilRefused("the policy", `TCP:${pod}:80`);
  expect(await ask("home", `SCTP:${pod}:80`)).toBe(`cloud to ${address.get("home")}`);
  expect(await ask("home", `SCTP:${await clusterIp("cloud")}:80`)).toMatch(/^cloud to /);
  await cannotAsk("home", `SCTP:${pod}:81`);
  await cannotAsk("home", `TCP:${pod}:81`);
  await sites.kubectl.run("label", "pod", "home", "site=elsewhere", "--overwrite");
  await untilRefused("the label", `SCTP:${pod}:80`);
  await sites.kubectl.run("delete", "networkpolicy", "only-sctp");
  await waitFor("all to be let in", () => ask("home", `SCTP:${pod}:81`), PATIENCE);
});

it("a key that is removed is made anew, and the other node follows; what somebody takes from the device is put back", async () => {
  const before = JSON.parse(await sites.annotation("home", OFFER_ANNOTATION)).publicKey as string;
  await sites.guest.run(`rm ${stateDir("home")}/wireguard/private.key`);
  const key = await waitFor(
    "another key",
    async () => {
      const { publicKey } = JSON.parse(await sites.annotation("home", OFFER_ANNOTATION)) as { publicKey: string };
      return publicKey !== before && publicKey;
    },
    PATIENCE,
  );
  await waitFor(
    "the cloud to follow",
    async () => (await sites.on("cloud", `wg show ${device("cloud")} peers`)) === `${key}\n`,
    PATIENCE,
  );
  await bothWays();
  await sites.on("cloud", `ip link delete ${device("cloud")}`);
  await bothWays();
  expect(await sites.on("cloud", `wg show ${device("cloud")} peers`)).toBe(`${key}\n`);
});

it("a node that has another one's key, as if a disk was copied, makes one of its own", async () => {
  const keyOf = async (site: Site) =>
    (JSON.parse(await sites.annotation(site, OFFER_ANNOTATION)) as { publicKey: string }).publicKey;
  const before = { home: await keyOf("home"), cloud: await keyOf("cloud") };
  const [from, to] = [stateDir("home"), stateDir("cloud")].map((dir) => `${dir}/wireguard/private.key`);
  await sites.guest.run(`cp ${from} ${to}`);
  const key = await waitFor(
    "another key",
    async () => {
      const now = await keyOf("cloud");
      return now !== before.cloud && now;
    },
    PATIENCE,
  );
  expect(key).not.toBe(before.home);
  await waitFor(
    "the home to follow",
    async () => (await sites.on("home", `wg show ${device("home")} peers`)) === `${key}\n`,
    PATIENCE,
  );
  await bothWays();
  expect(await keyOf("home")).toBe(before.home);
});

it("a node that goes takes the device along, and uninstalling leaves neither device nor key", async () => {
  await sites.stopAgent("home");
  await sites.kubectl.run("delete", "node", "home");
  await waitFor(
    "the device to go",
    () =>
      sites.on("cloud", `ip link show ${device("cloud")}`).then(
        () => false,
        () => true,
      ),
    PATIENCE,
  );
  expect(await sites.on("home", `ip -brief link show ${device("home")}`)).toContain(device("home"));
  await sites.uninstall("home");
  const links = await sites.on("home", "ip -brief link");
  expect(links).not.toContain("hearth");
  expect(await sites.guest.run(`ls -d ${stateDir("home")} 2>/dev/null || echo gone`)).toBe("gone\n");
});
