import type { EndpointSlice, Service } from "../../../shared/api/types.ts";

type Spec = NonNullable<Service["spec"]>;
type Endpoint = NonNullable<EndpointSlice["endpoints"]>[number];
type SlicePort = NonNullable<EndpointSlice["ports"]>[number];

export const NAMESPACE = "services";
/** Of a server in each pod's container, which answers with the pod's name and the address of whoever asks. */
export const TARGET_PORT = 8080;
/** Of a server in each pod's network that does the same, and echoes: for many questions at once. */
export const FAST_PORT = 9090;

/** Port 80 to the pods' servers, unless the spec has others. */
export function service(name: string, spec: Spec, metadata: object = {}): Service {
  const ports = [{ name: "http", port: 80, targetPort: TARGET_PORT, protocol: "TCP" }];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: NAMESPACE, ...metadata },
    spec: { ports, ...spec },
  };
}

/** Endpoints of a Service without a selector. */
export function slice(
  service: string,
  endpoints: Endpoint[],
  ports: SlicePort[] = [{ name: "http", port: TARGET_PORT, protocol: "TCP" }],
): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${service}-by-hand`,
      namespace: NAMESPACE,
      labels: { "kubernetes.io/service-name": service, "endpointslice.kubernetes.io/managed-by": "test" },
    },
    addressType: "IPv4",
    endpoints,
    ports,
  };
}

const READINESS = "{exec: {command: [test, -e, /tmp/ready]}, periodSeconds: 1, failureThreshold: 1}";
const WHO =
  'printf "#!/bin/sh\\necho \\$(hostname) \\$SOCAT_PEERADDR\\n" > /tmp/who; chmod +x /tmp/who; touch /tmp/ready';
const SERVE = `socat UDP-RECVFROM:${TARGET_PORT},fork EXEC:/tmp/who & socat TCP-LISTEN:${TARGET_PORT},fork,reuseaddr,backlog=1024 EXEC:/tmp/who`;

/** A pod that answers with its name and the asker's address; Ready while it has /tmp/ready. */
export function serverPod(name: string, node: string, labels: Record<string, string>): string {
  return pod(name, node, labels, { terminationGracePeriodSeconds: 1, script: `${WHO}; ${SERVE}` });
}

/** One that goes on to answer after it was told to end, until it has /tmp/done. */
export function drainingPod(name: string, node: string, labels: Record<string, string>): string {
  const script = `trap "" TERM; ${WHO}; ${SERVE} & while [ ! -e /tmp/done ]; do sleep 0.2; done`;
  return pod(name, node, labels, { terminationGracePeriodSeconds: 60, script });
}

/** One that only asks. */
export function clientPod(name: string, node: string): string {
  return pod(name, node, {}, { terminationGracePeriodSeconds: 0, script: "touch /tmp/ready; sleep 3600" });
}

function pod(
  name: string,
  node: string,
  labels: Record<string, string>,
  { terminationGracePeriodSeconds, script }: { terminationGracePeriodSeconds: number; script: string },
): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${NAMESPACE}, labels: ${JSON.stringify(labels)}}
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: ${terminationGracePeriodSeconds}
  containers:
  - name: main
    image: alpine/socat:1.8.0.3
    command: ${JSON.stringify(["sh", "-c", script])}
    ports: [{name: web, containerPort: ${TARGET_PORT}}]
    readinessProbe: ${READINESS}
---
`;
}
