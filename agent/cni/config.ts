/** What a node's pod network is made from. */
export interface CniNetwork {
  /** From the node's spec.podCIDRs: one, or two of both families. */
  podCidrs: string[];
  bridgeName: string;
  mtu: number;
  /** Tells the networks of several agents on one machine apart: leases of addresses are kept by this name. */
  instance: string;
  /** Where host-local keeps its leases. */
  dataDir: string;
}

/** Linux: IFNAMSIZ is 16 with the closing zero. */
const MAX_INTERFACE_NAME = 15;

/**
 * A CNI 1.0 network: a bridge that is the pods' gateway, addresses from the node's podCIDR, and host ports. The loopback interface is the runtime's own doing.
 * @throws RangeError if the bridge's name is too long for Linux, or there is no podCIDR
 */
export function renderCniConfig({ podCidrs, bridgeName, mtu, instance, dataDir }: CniNetwork): string {
  if (bridgeName.length > MAX_INTERFACE_NAME) throw new RangeError(`the bridge name ${bridgeName} is too long`);
  if (podCidrs.length === 0) throw new RangeError("the node has no podCIDR");
  const config = {
    cniVersion: "1.0.0",
    name: `hearth-${instance}`,
    plugins: [
      {
        type: "bridge",
        bridge: bridgeName,
        isGateway: true,
        // The pod network masquerades: the plugin would hide pods from each other across nodes.
        ipMasq: false,
        // A pod reaches itself through its own service.
        hairpinMode: true,
        // Hairpin on every port of a promiscuous bridge would duplicate packets.
        promiscMode: false,
        mtu,
        ipam: {
          type: "host-local",
          dataDir,
          ranges: podCidrs.map((subnet) => [{ subnet }]),
          routes: podCidrs.map((subnet) => ({ dst: subnet.includes(":") ? "::/0" : "0.0.0.0/0" })),
        },
      },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
