/** What WireGuard's device shall have; all but the private key, so that it may be logged. */
export interface WireGuardDevice {
  name: string;
  mtu: number;
  /** The first of each of the node's ranges: what the node itself sends to pods comes from there. */
  addresses: string[];
  listenPort: number;
  peers: WireGuardPeer[];
}

export interface WireGuardPeer {
  node: string;
  publicKey: string;
  /** `192.0.2.1:51820`; absent: it speaks first, and the kernel remembers from where. */
  endpoint?: string;
  /** What it may send from, and is sent. */
  allowedIps: string[];
  /** 0: none. */
  keepaliveSeconds: number;
}

/** The text that `wg setconf` and `wg syncconf` read. */
export function renderConfig({ listenPort, peers }: WireGuardDevice, privateKey: string): string {
  const sections = [["[Interface]", `PrivateKey = ${privateKey}`, `ListenPort = ${listenPort}`]];
  for (const { node, publicKey, endpoint, allowedIps, keepaliveSeconds } of peers) {
    sections.push([
      `# ${node}`,
      "[Peer]",
      `PublicKey = ${publicKey}`,
      `AllowedIPs = ${allowedIps.join(", ")}`,
      ...(endpoint === undefined ? [] : [`Endpoint = ${endpoint}`]),
      ...(keepaliveSeconds > 0 ? [`PersistentKeepalive = ${keepaliveSeconds}`] : []),
    ]);
  }
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** What `wg show <device> dump` tells. */
export interface ActualDevice {
  privateKey: string;
  listenPort: number;
  /** By public key. */
  peers: Map<string, { endpoint?: string; allowedIps: string[]; keepaliveSeconds: number }>;
}

/** @param text lines of fields between tabs: the device, then its peers. What is no such line is passed over */
export function parseDump(text: string): ActualDevice {
  const [device = "", ...lines] = text.split("\n");
  const [privateKey = "", , listenPort = ""] = device.split("\t");
  const peers: ActualDevice["peers"] = new Map();
  for (const line of lines) {
    const [publicKey, , endpoint, allowedIps, , , , keepalive] = line.split("\t");
    if (!publicKey || endpoint === undefined || allowedIps === undefined) continue;
    peers.set(publicKey, {
      ...(endpoint !== "(none)" && { endpoint }),
      allowedIps: allowedIps === "(none)" ? [] : allowedIps.split(","),
      keepaliveSeconds: Number(keepalive) || 0, // "off"
    });
  }
  return { privateKey, listenPort: Number(listenPort) || 0, peers };
}

/**
 * Whether the kernel has it all. Endpoints wander with the peers, so one counts only as far as it is another one than was
 * set last: a router that changed its mind is believed more than a Node.
 * @param wasSet endpoints by public key
 */
export function isInPlace(
  wanted: WireGuardDevice,
  actual: ActualDevice,
  { privateKey, wasSet }: { privateKey: string; wasSet: ReadonlyMap<string, string> },
): boolean {
  if (actual.privateKey !== privateKey || actual.listenPort !== wanted.listenPort) return false;
  if (actual.peers.size !== wanted.peers.length) return false;
  return wanted.peers.every(({ publicKey, endpoint, allowedIps, keepaliveSeconds }) => {
    const found = actual.peers.get(publicKey);
    const isSpokenTo = endpoint === undefined || (found?.endpoint !== undefined && wasSet.get(publicKey) === endpoint);
    return (
      isSpokenTo &&
      found?.keepaliveSeconds === keepaliveSeconds &&
      found.allowedIps.toSorted().join() === allowedIps.toSorted().join()
    );
  });
}
