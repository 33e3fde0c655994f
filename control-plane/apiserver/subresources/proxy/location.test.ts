import { describe, expect, it } from "vitest";
import type { GroupResource } from "../../../../shared/api/group-resource.ts";
import type { KubeObject } from "../../../../shared/api/object.ts";
import { nodeLocation, podLocation, serviceLocation } from "./location.ts";

type Fields = Record<string, unknown>;
const pod = (ip: string | undefined, ports: number[] = [], nodeName = "n1"): Fields => ({
  spec: {
    nodeName,
    containers: [{ name: "side" }, { name: "c", ports: ports.map((containerPort) => ({ containerPort })) }],
  },
  status: { podIPs: ip === undefined ? [] : [{ ip }] },
});
const at = (ip: string, name: string, namespace = "shop") => ({ ip, targetRef: { kind: "Pod", name, namespace } });

const OBJECTS: Record<string, Fields> = {
  "pods/a": pod("10.0.0.1", [8080, 9090]),
  "pods/b": pod("10.0.0.2", [], "n2"),
  "pods/six": pod("fd00::1"),
  "pods/loop": pod("127.0.0.1"),
  "pods/metadata": pod("169.254.169.254"),
  "pods/new": pod(undefined),
  "services/web": {
    spec: {
      ports: [
        { name: "http", port: 80 },
        { name: "https", port: 443 },
      ],
    },
  },
  "endpoints/web": {
    subsets: [
      { addresses: [at("10.0.0.1", "a"), at("10.0.0.2", "b")], ports: [{ name: "http", port: 8080 }] },
      { addresses: [at("10.0.0.2", "b")], ports: [{ name: "https", port: 8443 }] },
    ],
  },
  "services/one": { spec: { ports: [{ port: 80 }] } },
  "endpoints/one": { subsets: [{ addresses: [at("10.0.0.1", "a")], ports: [{ port: 8080 }] }] },
  "endpoints/empty": { subsets: [] },
  "endpoints/unready": { subsets: [{ notReadyAddresses: [at("10.0.0.1", "a")], ports: [{ port: 80 }] }] },
  "endpoints/foreign": { subsets: [{ addresses: [{ ip: "192.168.0.1" }], ports: [{ port: 80 }] }] },
  "endpoints/moved": { subsets: [{ addresses: [at("10.9.9.9", "a")], ports: [{ port: 80 }] }] },
  "endpoints/other-namespace": { subsets: [{ addresses: [at("10.0.0.1", "a", "prod")], ports: [{ port: 80 }] }] },
  "nodes/n1": {
    status: {
      addresses: [
        { type: "Hostname", address: "n1" },
        { type: "InternalIP", address: "192.168.0.7" },
      ],
    },
  },
  "nodes/self": { status: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }] } },
};
const reader = {
  get: async ({ resource }: GroupResource, name: string) => OBJECTS[`${resource}/${name}`] as KubeObject | undefined,
};
const refused = (code: number, message: string) =>
  expect.objectContaining({ status: expect.objectContaining({ code, message }) });

describe("a pod", () => {
  it.each([
    { id: "a", want: { scheme: "http", address: "10.0.0.1", port: "8080", node: "n1" } },
    { id: "https:a:9443", want: { scheme: "https", address: "10.0.0.1", port: "9443", node: "n1" } },
    { id: "b", want: { scheme: "http", address: "10.0.0.2", node: "n2" } },
    { id: "six:80", want: { scheme: "http", address: "fd00::1", port: "80", node: "n1" } },
  ])("$id", async ({ id, want }) => expect(await podLocation(reader, id, "shop")).toEqual(want));

  it.each([
    { id: "gopher:a:70", code: 400, message: 'invalid pod request "gopher:a:70"' },
    { id: "none", code: 404, message: 'pods "none" not found' },
    { id: "new", code: 400, message: "address not allowed" },
    { id: "loop", code: 400, message: "address not allowed" },
    { id: "metadata", code: 400, message: "address not allowed" },
  ])("$id: $message", ({ id, code, message }) =>
    expect(podLocation(reader, id, "shop")).rejects.toEqual(refused(code, message)),
  );
});

describe("a Service", () => {
  const locate = (id: string, random = 0) => serviceLocation(reader, id, { namespace: "shop", random: () => random });

  it.each([
    { id: "one", want: { scheme: "http", address: "10.0.0.1", port: "8080", node: "n1" } },
    { id: "one:80", want: { scheme: "http", address: "10.0.0.1", port: "8080", node: "n1" } },
    { id: "web:http", want: { scheme: "http", address: "10.0.0.1", port: "8080", node: "n1" } },
    { id: "web:0080", want: { scheme: "http", address: "10.0.0.1", port: "8080", node: "n1" } },
    { id: "https:web:443", want: { scheme: "https", address: "10.0.0.2", port: "8443", node: "n2" } },
  ])("$id", async ({ id, want }) => expect(await locate(id)).toEqual(want));

  it("is any of its ready endpoints", async () => {
    const found = await Promise.all([0, 0.49, 0.5, 0.99].map((random) => locate("web:http", random)));
    expect(found.map(({ address }) => address)).toEqual(["10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2"]);
  });

  it.each([
    { id: "a:b:c:d", code: 400, message: 'invalid service request "a:b:c:d"' },
    { id: "none", code: 404, message: 'services "none" not found' },
    { id: "none:80", code: 404, message: 'services "none" not found' },
    { id: "web:81", code: 503, message: 'no service port 81 found for service "web"' },
    { id: "web", code: 503, message: 'no endpoints available for service "web"' },
    { id: "web:dns", code: 503, message: 'no endpoints available for service "web:dns"' },
    { id: "empty", code: 503, message: 'no endpoints available for service "empty"' },
    { id: "unready", code: 503, message: 'no endpoints available for service "unready"' },
    { id: "foreign", code: 503, message: 'no endpoints available for service "foreign"' },
    { id: "moved", code: 503, message: 'no endpoints available for service "moved"' },
    { id: "other-namespace", code: 503, message: 'no endpoints available for service "other-namespace"' },
  ])("$id: $message", ({ id, code, message }) => expect(locate(id)).rejects.toEqual(refused(code, message)));
});

describe("a node", () => {
  it.each([
    { id: "n1", want: { node: "n1", location: undefined } },
    { id: "https:n1:10250", want: { node: "n1", location: undefined } },
    {
      id: "n1:9100",
      want: { node: "n1", location: { scheme: "http", address: "192.168.0.7", port: "9100", node: "n1" } },
    },
  ])("$id", async ({ id, want }) => expect(await nodeLocation(reader, id)).toEqual(want));

  it.each([
    { id: "a:b:c:d", code: 400, message: 'invalid node request "a:b:c:d"' },
    { id: "none", code: 404, message: 'nodes "none" not found' },
    { id: "self:80", code: 400, message: "address not allowed" },
  ])("$id: $message", ({ id, code, message }) =>
    expect(nodeLocation(reader, id)).rejects.toEqual(refused(code, message)),
  );
});
