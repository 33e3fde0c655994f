import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { podFieldValue } from "./field-value.ts";
import { renderHostNetworkHostsFile, renderHostsFile } from "./hosts-file.ts";
import { resourceFieldValue } from "./resource-value.ts";

describe("podFieldValue", () => {
  const pod = aPod({}, { annotations: { "a/b": "x" } });
  it.each([
    ["metadata.name", "web-0"],
    ["metadata.namespace", "default"],
    ["metadata.uid", "u1"],
    ["metadata.annotations['a/b']", "x"],
    ["metadata.labels['none']", ""],
    ["spec.nodeName", "n1"],
    ["spec.serviceAccountName", "default"],
    ["status.hostIP", "192.0.2.1"],
    ["status.hostIPs", "192.0.2.1,2001:db8::1"],
    ["status.podIP", "10.244.0.5"],
    ["status.podIPs", "10.244.0.5,fd00::5"],
  ])("%s is %s", (path, want) => {
    const addresses = { hostIps: ["192.0.2.1", "2001:db8::1"], podIps: ["10.244.0.5", "fd00::5"] };
    expect(podFieldValue(pod, path, addresses)).toBe(want);
  });

  it("refuses others", () => {
    expect(() => podFieldValue(pod, "spec.containers", { hostIps: [], podIps: [] })).toThrow("unsupported fieldPath");
  });
});

const NODE = { cpu: "4", memory: "1Gi", "ephemeral-storage": "100Gi" };

describe("resourceFieldValue", () => {
  const container = aContainer("main", {
    resources: { limits: { cpu: "1500m", memory: "100Mi", "hugepages-2Mi": "4Mi" }, requests: { cpu: "250m" } },
  });
  it.each([
    { field: { resource: "limits.cpu" }, want: "2" },
    { field: { resource: "limits.cpu", divisor: "1m" }, want: "1500" },
    { field: { resource: "requests.cpu" }, want: "1" },
    { field: { resource: "limits.memory" }, want: "104857600" },
    { field: { resource: "limits.memory", divisor: "1Mi" }, want: "100" },
    { field: { resource: "requests.memory" }, want: "0" },
    { field: { resource: "limits.cpu", divisor: "0" }, want: "2" },
    { field: { resource: "limits.ephemeral-storage", divisor: "1Gi" }, want: "100" },
    { field: { resource: "requests.ephemeral-storage" }, want: "0" },
    { field: { resource: "limits.hugepages-2Mi", divisor: "1Mi" }, want: "4" },
    { field: { resource: "requests.hugepages-1Gi" }, want: "0" },
  ])("$field.resource by $field.divisor is $want", ({ field, want }) => {
    const pod = aPod({ containers: [container] });
    expect(resourceFieldValue(pod, container, field, NODE)).toBe(want);
    const named = { ...field, containerName: "main" };
    expect(resourceFieldValue(pod, undefined, named, NODE)).toBe(want);
  });
});

describe("resourceFieldValue of what is not limited", () => {
  const pod = aPod();
  const container = aContainer("main", { resources: { limits: { cpu: "0" } } });
  it.each([
    { resource: "limits.cpu", want: "4" },
    { resource: "limits.memory", want: "1073741824" },
    { resource: "limits.ephemeral-storage", want: "107374182400" },
    { resource: "limits.hugepages-2Mi", want: "0" },
  ])("$resource is the node's: $want", ({ resource, want }) => {
    expect(resourceFieldValue(pod, container, { resource }, NODE)).toBe(want);
  });

  it.each([
    { field: { resource: "limits.disk" }, message: "unsupported container resource : limits.disk" },
    { field: { resource: "limits.cpu", containerName: "none" }, message: "container none not found" },
  ])("refuses: $message", ({ field, message }) => {
    expect(() => resourceFieldValue(pod, container, field, NODE)).toThrow(message);
  });
});

describe("/etc/hosts", () => {
  it("has the pod's name, its domain and aliases", () => {
    const text = renderHostsFile({
      podIps: ["10.244.0.5"],
      hostname: "web-0",
      domain: "web.default.svc.cluster.local",
      hostAliases: [{ ip: "192.0.2.7", hostnames: ["a", "b"] }],
    });
    expect(text).toBe(`# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
10.244.0.5\tweb-0.web.default.svc.cluster.local\tweb-0

# Entries added by HostAliases.
192.0.2.7\ta\tb
`);
  });

  it("is the node's own in the host's network", () => {
    expect(renderHostNetworkHostsFile("127.0.0.1 localhost\n")).toBe(
      "# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n",
    );
  });
});
