import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { body, bodyOf, type Encodable, joined, message, rawField, varint } from "../../../test/builders/protobuf.ts";
import type { JsonObject } from "../../api/json.ts";
import { ApiError } from "../../api/status.ts";
import { decodeObject } from "../decode.ts";
import { RESOURCES } from "../registry.ts";
import { decodeProtobuf, encodeProtobuf } from "./index.ts";

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 400) return error.message;
    throw error;
  }
  throw new Error("expected a refusal");
}

/** The definition of a kind that a resource or a subresource of its group has. */
function definitionOf(apiVersion: string, kind: string): string {
  const [version, group = ""] = apiVersion.split("/").reverse() as [string, string?];
  return RESOURCES.find((facts) => facts.group === group && facts.version === version)!.schema.replace(/[^.]+$/, kind);
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/[0-9a-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Made by `kubectl create`, version 1.36; `json` is what the same command prints with --dry-run=client. */
const CLIENT_BODIES = (
  JSON.parse(readFileSync(new URL("testdata/bodies.json", import.meta.url), "utf8")) as {
    name: string;
    body: string;
    json: JsonObject;
  }[]
).map((each) => ({ ...each, bytes: Uint8Array.from(atob(each.body), (char) => char.charCodeAt(0)) }));

describe("the bodies of a real client", () => {
  it.each(CLIENT_BODIES)("$name", ({ bytes, json }) => {
    const { apiVersion, kind, object } = decodeProtobuf(bytes, String(json.kind));
    expect({ apiVersion, kind }).toEqual({ apiVersion: json.apiVersion, kind: json.kind });
    const definition = definitionOf(apiVersion, kind);
    expect(decodeObject(definition, object, "Strict").object).toEqual(decodeObject(definition, json, "Strict").object);
  });

  it.each(CLIENT_BODIES)("$name is written as that client writes it", ({ bytes, json }) => {
    expect(encodeProtobuf(decodeProtobuf(bytes, String(json.kind)).object)).toEqual(bytes);
  });
});

it("reads a body byte by byte", () => {
  const bytes = bytesOf(`
    6b 38 73 00
    0a 0f  0a 02 7631  12 09 436f6e6669674d6170
    12 13  0a 07  0a 01 63  1a 00  22 00  12 08  0a 01 6b  12 03 76 c3 a4
    1a 00  22 00`);
  expect(decodeProtobuf(bytes, "ConfigMap")).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { k: "vä" } },
  });
});

/** ObjectMeta as Go sends it: with every field that is no pointer. */
const metadata = (name: string, ...more: [number, Encodable][]) =>
  message([1, name], [2, ""], [3, ""], [4, ""], [5, ""], [6, ""], [7, 0], [8, ""], ...more);

const container = message(
  [1, "web"],
  [2, "nginx:1"],
  [3, "sh"],
  [4, "-c"],
  [4, ""],
  [5, ""],
  [6, message([1, "http"], [2, 0], [3, 8080], [4, "TCP"], [5, ""])],
  [7, message([1, "A"], [2, ""])],
  [7, message([1, "B"], [3, message([1, message([1, "v1"], [2, "metadata.name"])])])],
  [7, message([1, "C"], [3, message([3, message([1, message([1, "config"])], [2, "key"], [3, false])])])],
  [7, message([1, "D"], [3, message([2, message([1, ""], [2, "limits.cpu"], [3, message([1, "1m"])])])])],
  [
    8,
    message(
      [1, message([1, "cpu"], [2, message([1, "500m"])])],
      [2, message([1, "memory"], [2, message([1, "64Mi"])])],
    ),
  ],
  [9, message([1, "data"], [2, 1], [3, "/data"], [4, ""])],
  [
    10,
    message(
      [1, message([2, message([1, "/ready"], [2, message([1, 1], [2, 0], [3, "http"])], [3, ""], [4, "HTTP"])])],
      [2, 0],
      [3, 1],
      [4, 10],
      [5, 0],
      [6, 3],
    ),
  ],
  [13, ""],
  [14, "IfNotPresent"],
  [15, message([2, false], [4, 0])],
  [16, false],
  [17, 0],
  [18, false],
  [20, ""],
);

it("reads a Pod as Go sends it", () => {
  const spec = message(
    [1, message([1, "data"], [2, message([2, message([1, ""])])])],
    [1, message([1, "config"], [2, message([19, message([1, message([1, "cm"])], [3, 0o644])])])],
    [2, container],
    [3, "Always"],
    [4, 0],
    [6, "ClusterFirst"],
    [7, message([1, "disk"], [2, "ssd"])],
    [8, ""],
    [9, ""],
    [10, ""],
    [11, false],
    [12, false],
    [13, false],
    [14, message([2, -1])],
    [16, ""],
    [17, ""],
    [19, "default-scheduler"],
    [22, message([1, "k"], [2, "Exists"], [3, ""], [4, "NoExecute"], [5, 0])],
    [24, ""],
    [25, -2147483648],
    [30, false],
  );
  const raw = message(
    [1, metadata("p", [11, message([1, "app"], [2, "web"])], [12, message([1, "__proto__"], [2, "x"])])],
    [2, spec],
    [3, message([1, ""], [3, ""], [4, ""], [5, ""], [6, ""], [9, ""], [11, ""], [14, ""], [17, 0])],
  );
  const { object } = decodeProtobuf(body("v1", "Pod", raw), "Pod");
  expect(object).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", labels: { app: "web" }, annotations: JSON.parse('{"__proto__":"x"}') },
    spec: {
      volumes: [
        { name: "data", emptyDir: {} },
        { name: "config", configMap: { name: "cm", defaultMode: 0o644 } },
      ],
      containers: [
        {
          name: "web",
          image: "nginx:1",
          command: ["sh"],
          args: ["-c", ""],
          ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
          env: [
            { name: "A" },
            { name: "B", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
            { name: "C", valueFrom: { configMapKeyRef: { name: "config", key: "key", optional: false } } },
            { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
          ],
          resources: { limits: { cpu: "500m" }, requests: { memory: "64Mi" } },
          volumeMounts: [{ name: "data", readOnly: true, mountPath: "/data" }],
          livenessProbe: {
            httpGet: { path: "/ready", port: "http", scheme: "HTTP" },
            timeoutSeconds: 1,
            periodSeconds: 10,
            failureThreshold: 3,
          },
          imagePullPolicy: "IfNotPresent",
          securityContext: { privileged: false, runAsUser: 0 },
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 0,
      dnsPolicy: "ClusterFirst",
      nodeSelector: { disk: "ssd" },
      securityContext: { runAsUser: -1 },
      schedulerName: "default-scheduler",
      tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }],
      priority: -2147483648,
      enableServiceLinks: false,
    },
    status: {},
  });
});

it("reads a Deployment as Go sends it", () => {
  const template = message([1, metadata("", [11, message([1, "app"], [2, "w"])])], [2, message([2, container])]);
  const rollingUpdate = message([1, message([1, 1], [2, 0], [3, "25%"])], [2, message([1, 0], [2, 1], [3, ""])]);
  const spec = message(
    [1, 0],
    [2, message([1, message([1, "app"], [2, "w"])])],
    [3, template],
    [4, message([1, "RollingUpdate"], [2, rollingUpdate])],
    [5, 0],
    [7, false],
    [9, 600],
  );
  const raw = message([1, metadata("d")], [2, spec], [3, message([1, 0], [2, 0], [3, 0], [4, 0], [5, 0], [7, 0])]);
  const { object } = decodeProtobuf(body("apps/v1", "Deployment", raw), "Deployment");
  expect(object).toMatchObject({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "w" } },
      template: { metadata: { labels: { app: "w" } }, spec: { containers: [{ name: "web" }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: 1 } },
      progressDeadlineSeconds: 600,
    },
    status: {},
  });
  expect(object.spec).not.toHaveProperty("paused");
});

describe("the envelope", () => {
  const raw = message([1, message([1, "c"])]);

  it.each<[name: string, bytes: Uint8Array, want: JsonObject]>([
    [
      "the object first",
      joined([Uint8Array.of(0x6b, 0x38, 0x73, 0), message([2, raw], [1, message([1, "v1"], [2, "ConfigMap"])])]),
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } },
    ],
    [
      "no object",
      joined([Uint8Array.of(0x6b, 0x38, 0x73, 0), message([1, message([1, "v1"], [2, "ConfigMap"])])]),
      { apiVersion: "v1", kind: "ConfigMap" },
    ],
    [
      "a kind of a subresource",
      body("autoscaling/v1", "Scale", message([2, message([1, 3])])),
      { apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 3 } },
    ],
    [
      "options, in any group",
      body("apps/v1", "DeleteOptions", message([1, 0], [2, message([1, "u"])], [4, "Foreground"], [5, "All"])),
      {
        apiVersion: "apps/v1",
        kind: "DeleteOptions",
        gracePeriodSeconds: 0,
        preconditions: { uid: "u" },
        propagationPolicy: "Foreground",
        dryRun: ["All"],
      },
    ],
    [
      "an eviction with its options",
      body("policy/v1", "Eviction", message([1, message([1, "p"])], [2, message([1, 5])])),
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, deleteOptions: { gracePeriodSeconds: 5 } },
    ],
    [
      "a binding",
      body("v1", "Binding", message([1, message([1, "p"])], [2, message([1, "Node"], [3, "n1"])])),
      { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "n1" } },
    ],
  ])("%s", (_name, bytes, want) => expect(decodeProtobuf(bytes, "ConfigMap").object).toEqual(want));
});

describe("what cannot be read", () => {
  const pod = (...bytes: Uint8Array[]) => body("v1", "Pod", joined(bytes));
  const nested = (depth: number): Uint8Array => (depth === 0 ? message() : message([25, nested(depth - 1)]));
  const crd = (schema: Uint8Array) => message([2, message([7, message([1, "v1"], [4, message([1, schema])])])]);

  it.each<[name: string, bytes: Uint8Array, want: RegExp]>([
    ["nothing", bytesOf(""), /^the object provided is unrecognized \(must be of type Pod\): empty data \(<empty>\)$/],
    [
      "JSON",
      new TextEncoder().encode("{}"),
      /: provided data does not appear to be a protobuf message, expected prefix \[107 56 115 0\] \(\{\}\)$/,
    ],
    ["a prefix alone", bytesOf("6b387300"), /: empty body \(6b387300\)$/],
    [
      "an envelope that is cut",
      bytesOf("6b387300 0a 05 0a"),
      /unrecognized \(must be of type Pod\): unexpected EOF \(6b3873000a050a\)$/,
    ],
    ["an object without a kind", body("v1", "", message()), /: Object 'Kind' is missing in 'v1' /],
    [
      "an unknown kind",
      body("v1", "Nothing", message()),
      /^Nothing in version "v1" cannot be handled as a Pod: no kind "Nothing" is registered for version "v1" in scheme /,
    ],
    [
      "an unknown group",
      body("example.com/v1", "Pod", message()),
      /^Pod in version "v1" cannot be handled as a Pod: no kind "Pod" is registered for version "example.com\/v1"/,
    ],
    [
      "a value past the end",
      pod(bytesOf("0a 7f 0a")),
      /^Pod in version "v1" cannot be handled as a Pod: unexpected EOF$/,
    ],
    ["a value past the end of what holds it", pod(bytesOf("0a 02 0a 05 61 61 61 61 61")), /unexpected EOF$/],
    ["a negative length", pod(rawField(1, 2, varint(-1))), /proto: negative length found during unmarshaling$/],
    ["a length of 2^62", pod(rawField(1, 2, varint(2n ** 62n))), /unexpected EOF$/],
    ["a varint without an end", pod(bytesOf("a8 06 ff ff ff ff ff ff ff ff ff ff ff 01")), /proto: integer overflow$/],
    ["a wrong wire type", pod(rawField(1, 0, varint(1))), /proto: wrong wireType = 0 for field Metadata$/],
    ["a field 0", pod(bytesOf("02 00")), /proto: Pod: illegal tag 0 \(wire type 2\)$/],
    ["a wire type that is none", pod(bytesOf("ae 06")), /illegal wireType 6$/],
    ["the end of no group", pod(bytesOf("0c")), /proto: Pod: wiretype end group for non-group$/],
    ["a group without an end", pod(bytesOf("fb 07 08 01")), /unexpected EOF$/],
    ["text that is not UTF-8", pod(message([1, message([1, bytesOf("ff")])])), /string field contains invalid UTF-8$/],
    [
      "too deep a schema",
      body("apiextensions.k8s.io/v1", "CustomResourceDefinition", crd(nested(200))),
      /exceeded max depth$/,
    ],
    [
      "too many values",
      pod(message([2, joined(Array.from({ length: 500_001 }, () => bytesOf("12 00")))])),
      /more than 500000 values$/,
    ],
  ])("%s", (_name, bytes, want) => expect(refusal(() => decodeProtobuf(bytes, "Pod"))).toMatch(want));
});

describe("hostile bodies", () => {
  const seeds = [
    ...CLIENT_BODIES.map(({ bytes }) => bytes),
    body("v1", "Pod", message([1, metadata("p")], [2, message([2, container])])),
    bodyOf("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "a.b", managedFields: [{ manager: "m", fieldsV1: { "f:spec": {} } }] },
      spec: {
        versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", default: { a: 1 }, maximum: 2.5 } } }],
      },
    }),
  ];
  /** A body is decoded or refused, nothing else; what is decoded is JSON. */
  function survives(bytes: Uint8Array): void {
    let object: JsonObject;
    try {
      object = decodeProtobuf(bytes, "Pod").object;
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 400) return;
      throw error;
    }
    expect(() => JSON.parse(JSON.stringify(object))).not.toThrow();
  }

  it("random bytes", () => {
    const prefix = body("v1", "Pod", message()).slice(0, 4);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => survives(joined([prefix, bytes]))),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => survives(body("v1", "Pod", bytes))),
      { numRuns: 2000 },
    );
  });

  it("valid bodies with some bytes changed, put in or cut off", () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255), insert: fc.boolean() });
    const mutation = fc.record({
      seed: fc.constantFrom(...seeds),
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
      cut: fc.option(fc.nat(), { freq: 4 }),
    });
    fc.assert(
      fc.property(mutation, ({ seed, changes, cut }) => {
        let bytes = Array.from(seed);
        for (const { at, byte, insert } of changes) bytes.splice(at % bytes.length, insert ? 0 : 1, byte);
        if (cut !== null) bytes = bytes.slice(0, cut % bytes.length);
        survives(Uint8Array.from(bytes));
      }),
      { numRuns: 5000 },
    );
  });
});
