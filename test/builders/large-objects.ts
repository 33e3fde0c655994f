import type { Node, Pod } from "../../shared/api/types.ts";

const STARTED = "2026-11-30T08:00:00Z";

/** A pod of a Deployment as a kubelet tells of it: with the token's volume, statuses and owners of fields, some 6 KB. */
export function runningPod(index: number, { node, owner }: { node: string; owner: number }): Pod {
  const name = `web-${owner}-${index}`;
  const uid = `0f6c2a4e-5c0e-4c43-9d2f-${String(index).padStart(12, "0")}`;
  const ip = `10.244.${index >> 8}.${index & 255}`;
  const condition = (type: string) => ({
    type,
    status: "True",
    observedGeneration: 1,
    lastProbeTime: null as unknown as string,
    lastTransitionTime: STARTED,
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: `web-${owner}-`,
      namespace: "shop",
      uid,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: STARTED,
      labels: { app: "web", "pod-template-hash": "7d4b9c8f5d", tier: "front", release: `r${owner}` },
      annotations: { "prometheus.io/scrape": "true", "kubectl.kubernetes.io/restartedAt": STARTED },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `web-${owner}`,
          uid: `rs-${owner}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [managed("kube-controller-manager"), managed("kubelet")],
    },
    spec: {
      volumes: [
        tokenVolume(`kube-api-access-${index}`),
        { name: "config", configMap: { name: "web", defaultMode: 420 } },
      ],
      containers: ["main", "sidecar"].map((container) => ({
        name: container,
        image: `registry.example.com/shop/${container}:1.29.3`,
        command: ["/bin/sh", "-c", "exec /app/server --config /etc/web/config.yaml --listen :8080"],
        env: Array.from({ length: 8 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-${i}-of-the-container` })),
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "256Mi" } },
        volumeMounts: [
          { name: "config", mountPath: "/etc/web" },
          {
            name: `kube-api-access-${index}`,
            mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
            readOnly: true,
          },
        ],
        livenessProbe: { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
        readinessProbe: { httpGet: { path: "/ready", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      })),
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "default",
      serviceAccount: "default",
      nodeName: node,
      securityContext: {},
      schedulerName: "default-scheduler",
      tolerations: ["not-ready", "unreachable"].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
    },
    status: {
      phase: "Running",
      observedGeneration: 1,
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        condition,
      ),
      hostIP: "10.0.0.1",
      hostIPs: [{ ip: "10.0.0.1" }],
      podIP: ip,
      podIPs: [{ ip }],
      startTime: STARTED,
      containerStatuses: ["main", "sidecar"].map((container) => ({
        name: container,
        state: { running: { startedAt: STARTED } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/shop/${container}:1.29.3`,
        imageID: `registry.example.com/shop/${container}@sha256:${"0123456789abcdef".repeat(4)}`,
        containerID: `containerd://${String(index).padStart(64, "0")}`,
        started: true,
      })),
      qosClass: "Burstable",
    },
  } as Pod;
}

/** A node with forty images. */
export function describedNode(index: number): Node {
  const name = `node-${index}`;
  const amounts = { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: STARTED,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": `zone-${index % 3}`,
      },
      managedFields: [managed("kubelet")],
    },
    spec: { podCIDR: `10.${index}.0.0/24`, podCIDRs: [`10.${index}.0.0/24`] },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
        type,
        status: type === "Ready" ? "True" : "False",
        reason: `Kubelet${type}`,
        message: "the kubelet says so",
        lastHeartbeatTime: STARTED,
        lastTransitionTime: STARTED,
      })),
      addresses: [{ type: "InternalIP", address: `10.0.${index >> 8}.${index & 255}` }],
      images: Array.from({ length: 40 }, (_, i) => ({
        names: [
          `registry.example.com/shop/image-${i}@sha256:${"fedcba9876543210".repeat(4)}`,
          `registry.example.com/shop/image-${i}:1.${i}`,
        ],
        sizeBytes: 50_000_000 + i,
      })),
    },
  } as Node;
}

const managed = (manager: string) => ({
  manager,
  operation: "Update" as const,
  apiVersion: "v1",
  time: STARTED,
  fieldsType: "FieldsV1",
  fieldsV1: Object.fromEntries(
    ["f:metadata", "f:spec", "f:status"].map((part) => [
      part,
      Object.fromEntries(
        Array.from({ length: 10 }, (_, i) => [`f:field-${i}`, { ".": {}, "f:name": {}, "f:value": {} }]),
      ),
    ]),
  ),
});

const tokenVolume = (name: string) => ({
  name,
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
  },
});
