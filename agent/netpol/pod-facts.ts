import { parseIp, printIp } from "../../shared/api/ip.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { isSidecar } from "../../shared/api/pod-requests.ts";

export type Labels = Readonly<Record<string, string>>;

export const PROTOCOLS = ["TCP", "UDP", "SCTP"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface Address {
  family: 4 | 6;
  /** As nft prints it. */
  text: string;
}

export interface NamedPort {
  name: string;
  protocol: Protocol;
  port: number;
}

/** What policies look at in a pod. */
export interface PodFacts {
  namespace: string;
  labels: Labels;
  /** None of a pod that has ended or shares its node's network: policies neither select it nor mean it. */
  addresses: readonly Address[];
  namedPorts: readonly NamedPort[];
  /** It runs on this node. */
  isLocal: boolean;
}

/** A pod of the API's or of the kubelet's. */
export interface PodLike {
  metadata: { namespace?: string | undefined; labels?: Labels | undefined };
  spec?:
    | {
        nodeName?: string | undefined;
        hostNetwork?: boolean | undefined;
        containers: PortHolder[];
        initContainers?: PortHolder[] | undefined;
      }
    | undefined;
  status?:
    | { phase?: string | undefined; podIP?: string | undefined; podIPs?: { ip: string }[] | undefined }
    | undefined;
}

interface PortHolder {
  restartPolicy?: string | undefined;
  ports?: { name?: string | undefined; containerPort: number; protocol?: string | undefined }[] | undefined;
}

/**
 * @param told what the node's own runtime says of its addresses; what the API says otherwise, which is late and may
 *   be of a sandbox that is gone
 */
export function podFacts(pod: PodLike, { nodeName, told }: { nodeName: string; told?: readonly string[] }): PodFacts {
  const { status } = pod;
  const reported = (status?.podIPs ?? []).map(({ ip }) => ip);
  const ips = told ?? (reported.length > 0 ? reported : status?.podIP ? [status.podIP] : []);
  const isOut =
    pod.spec?.hostNetwork === true || isPodTerminal({ status: { ...(status?.phase && { phase: status.phase }) } });
  return {
    namespace: pod.metadata.namespace ?? "default",
    labels: pod.metadata.labels ?? {},
    addresses: isOut ? [] : ips.flatMap(addressOf),
    namedPorts: namedPorts(pod),
    isLocal: pod.spec?.nodeName === nodeName || told !== undefined,
  };
}

/** None of a text that is no address. */
export function addressOf(text: string): Address[] {
  const ip = parseIp(text);
  return ip ? [{ family: ip.family, text: printIp(ip) }] : [];
}

/** Of containers and sidecars, which serve as long as the pod does. */
function namedPorts({ spec }: PodLike): NamedPort[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)];
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ name, containerPort, protocol = "TCP" }) =>
      name && isProtocol(protocol) ? [{ name, protocol, port: containerPort }] : [],
    ),
  );
}

export const isProtocol = (text: string): text is Protocol => (PROTOCOLS as readonly string[]).includes(text);
