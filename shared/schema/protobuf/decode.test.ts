import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { double, encodeMessage, joined, message, rawField, varint } from "../../../test/builders/protobuf.ts";
import { anyObjectOf } from "../../../test/builders/protobuf-objects.ts";
import type { JsonObject } from "../../api/json.ts";
import { definitions } from "../definitions.ts";
import { RESOURCES } from "../registry.ts";
import { decodeMessage } from "./decode.ts";
import { type Message, messageOf } from "./message.ts";
import { Reader } from "./reader.ts";

const CRD = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const CORE = "io.k8s.api.core.v1";

/** Fields of JSONSchemaProps. */
const [ITEMS, ADDITIONAL, DEPENDENCIES] = [24, 30, 32];

const read = (definition: string, bytes: Uint8Array) => decodeMessage(new Reader(bytes), messageOf(definition)!);

describe("types that have a form of their own", () => {
  const createdAt = (time: Uint8Array) => read(`${META}.ObjectMeta`, message([8, time]));
  const renewedAt = (time: Uint8Array) => read("io.k8s.api.coordination.v1.LeaseSpec", message([4, time]));
  const port = (value: Uint8Array) => read(`${CORE}.HTTPGetAction`, message([2, value]));
  const schema = (number: number, value: Uint8Array) => read(`${CRD}.JSONSchemaProps`, message([number, value]));

  it.each<[name: string, got: JsonObject, want: JsonObject]>([
    ["no time", createdAt(message()), {}],
    ["Go's zero time", createdAt(message([1, -62135596800n])), {}],
    ["the epoch", createdAt(message([1, 0], [2, 0])), { creationTimestamp: "1970-01-01T00:00:00Z" }],
    [
      "a time drops what is below a second",
      createdAt(message([1, 1800000000], [2, 999999999])),
      { creationTimestamp: "2027-01-15T08:00:00Z" },
    ],
    ["a time before the epoch", createdAt(message([1, -1])), { creationTimestamp: "1969-12-31T23:59:59Z" }],
    [
      "a micro time keeps microseconds",
      renewedAt(message([1, 1800000000], [2, 1234567])),
      { renewTime: "2027-01-15T08:00:00.001234Z" },
    ],
    [
      "a micro time with negative nanoseconds",
      renewedAt(message([1, 1], [2, -1000])),
      { renewTime: "1970-01-01T00:00:00.999999Z" },
    ],
    ["a quantity", read(`${CORE}.ResourceFieldSelector`, message([3, message([1, "1500m"])])), { divisor: "1500m" }],
    ["a quantity of nothing", read(`${CORE}.ResourceFieldSelector`, message([3, message()])), { divisor: "0" }],
    ["a number of int or string", port(message([1, 0], [2, 80], [3, ""])), { port: 80 }],
    ["a string of int or string", port(message([1, 1], [2, 0], [3, "http"])), { port: "http" }],
    ["zero of int or string", port(message([1, 0], [2, 0], [3, ""])), { port: 0 }],
    ["a negative number of int or string", port(message([2, -5])), { port: -5 }],
    [
      "raw JSON",
      read("io.k8s.api.apps.v1.ControllerRevision", message([2, message([1, '{"a":[1]}'])], [3, 7])),
      { data: { a: [1] }, revision: 7 },
    ],
    [
      "managed fields",
      read(`${META}.ManagedFieldsEntry`, message([1, "m"], [7, message([1, '{"f:a":{}}'])])),
      { manager: "m", fieldsV1: { "f:a": {} } },
    ],
    ["a JSON value", schema(8, message([1, "null"])), { default: null }],
    ["a JSON value that is false", schema(8, message([1, "false"])), { default: false }],
    ["no JSON value", schema(8, message()), {}],
    ["items of a schema", schema(ITEMS, message([1, message([5, "string"])])), { items: { type: "string" } }],
    [
      "items of schemas",
      schema(ITEMS, message([2, message([5, "a"])], [2, message([5, "b"])])),
      { items: [{ type: "a" }, { type: "b" }] },
    ],
    ["no additional properties", schema(ADDITIONAL, message([1, false])), { additionalProperties: false }],
    ["any additional properties", schema(ADDITIONAL, message([1, true])), { additionalProperties: true }],
    [
      "additional properties of a schema",
      schema(ADDITIONAL, message([1, true], [2, message([5, "string"])])),
      { additionalProperties: { type: "string" } },
    ],
    [
      "dependencies by name",
      schema(DEPENDENCIES, message([1, "a"], [2, message([2, "b"], [2, "c"])])),
      { dependencies: { a: ["b", "c"] } },
    ],
    ["an object of no fields", read(`${CRD}.CustomResourceSubresources`, message([1, message()])), { status: {} }],
    [
      "a list within a map",
      read("io.k8s.api.authentication.v1.UserInfo", message([4, message([1, "k"], [2, message([1, "a"], [1, ""])])])),
      { extra: { k: ["a", ""] } },
    ],
    [
      "an empty list within a map",
      read("io.k8s.api.authentication.v1.UserInfo", message([4, message([1, "k"])])),
      { extra: { k: [] } },
    ],
    [
      "fields of a message within",
      read(`${CORE}.Volume`, message([1, "v"], [2, message([1, message([1, "/x"])])])),
      { name: "v", hostPath: { path: "/x" } },
    ],
    [
      "fields of a message two deep",
      read(
        "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations",
        message([1, "r"], [2, message([1, "GET"], [2, message([3, "pods"])])]),
      ),
      { resourceNames: ["r"], operations: ["GET"], resources: ["pods"] },
    ],
  ])("%s", (_name, got, want) => expect(got).toEqual(want));

  it.each<[name: string, bytes: () => unknown, want: string]>([
    ["a year past 9999", () => createdAt(message([1, 253402300800])), "year outside of range"],
    ["JSON that is none", () => schema(8, message([1, "{"])), "invalid JSON"],
    ["a third type of int or string", () => port(message([1, 2])), "impossible IntOrString.Type"],
    [
      "a number that is none",
      () => read(`${CRD}.JSONSchemaProps`, rawField(9, 1, double(Number.NaN))),
      "unsupported value: NaN",
    ],
  ])("refuses %s", (_name, call, want) => expect(call).toThrow(want));
});

describe("scalars", () => {
  it.each<[name: string, definition: string, bytes: Uint8Array, want: JsonObject]>([
    ["an empty field is left out", `${CORE}.ContainerPort`, message([1, ""], [2, 0], [3, 80]), { containerPort: 80 }],
    ["zero behind a pointer is kept", "io.k8s.api.apps.v1.ReplicaSetSpec", message([1, 0], [4, 0]), { replicas: 0 }],
    [
      "false behind a pointer is kept",
      `${CORE}.ServiceAccount`,
      message([4, false]),
      { automountServiceAccountToken: false },
    ],
    ["the last of several wins", `${CORE}.LocalObjectReference`, message([1, "a"], [1, "b"]), { name: "b" }],
    ["even when it is empty", `${CORE}.LocalObjectReference`, message([1, "a"], [1, ""]), {}],
    [
      "pieces of a message are joined",
      `${CORE}.Pod`,
      message([1, message([1, "a"])], [1, message([3, "n"])]),
      { metadata: { name: "a", namespace: "n" } },
    ],
    ["a negative int32 in ten bytes", "io.k8s.api.scheduling.v1.PriorityClass", message([2, -100]), { value: -100 }],
    [
      "a negative int32 in five bytes",
      "io.k8s.api.scheduling.v1.PriorityClass",
      message([2, 0xffffff9c]),
      { value: -100 },
    ],
    ["a negative int64", `${CORE}.PodSecurityContext`, message([2, -1]), { runAsUser: -1 }],
    ["a large int64", `${CORE}.PodSecurityContext`, message([2, 2n ** 53n - 1n]), { runAsUser: 2 ** 53 - 1 }],
    ["the smallest int64", `${CORE}.PodSecurityContext`, message([2, -(2n ** 63n)]), { runAsUser: -(2 ** 63) }],
    [
      "any varint is a boolean",
      `${CORE}.ServiceAccount`,
      message([4, 2n ** 40n]),
      { automountServiceAccountToken: true },
    ],
    [
      "numbers one by one",
      `${CORE}.PodSecurityContext`,
      message([4, 1], [4, 0], [4, 2 ** 40]),
      { supplementalGroups: [1, 0, 2 ** 40] },
    ],
    [
      "numbers packed",
      `${CORE}.PodSecurityContext`,
      message([4, joined([varint(1), varint(0), varint(-1)])]),
      { supplementalGroups: [1, 0, -1] },
    ],
    ["a double", `${CRD}.JSONSchemaProps`, rawField(9, 1, double(-2.5)), { maximum: -2.5 }],
    [
      "bytes",
      `${CORE}.ConfigMap`,
      message([3, message([1, "k"], [2, Uint8Array.of(0, 255, 128)])]),
      { binaryData: { k: "AP+A" } },
    ],
    ["empty bytes of a map", `${CORE}.Secret`, message([2, message([1, "k"], [2, ""])]), { data: { k: "" } }],
    ["an entry without a value", `${CORE}.ConfigMap`, message([2, message([1, "k"])]), { data: { k: "" } }],
    ["an entry without a key", `${CORE}.ConfigMap`, message([2, message([2, "v"])]), { data: { "": "v" } }],
    [
      "an entry the wrong way round",
      `${CORE}.ConfigMap`,
      message([2, message([2, "v"], [1, "k"])]),
      { data: { k: "v" } },
    ],
    [
      "a quantity that an entry lacks",
      `${CORE}.ResourceQuotaSpec`,
      message([1, message([1, "cpu"])]),
      { hard: { cpu: "0" } },
    ],
    ["text with a byte order mark", `${CORE}.LocalObjectReference`, message([1, "\ufeffä"]), { name: "\ufeffä" }],
    ["long text", `${CORE}.LocalObjectReference`, message([1, "é".repeat(5000)]), { name: "é".repeat(5000) }],
    [
      "unknown fields of all wire types",
      `${CORE}.LocalObjectReference`,
      joined([
        message([900, 5], [901, "x"]),
        rawField(902, 1, double(1)),
        rawField(903, 5, new Uint8Array(4)),
        rawField(
          904,
          3,
          joined([
            message([1, 1]),
            rawField(2, 3, rawField(2, 4, new Uint8Array())),
            rawField(904, 4, new Uint8Array()),
          ]),
        ),
        message([1, "n"]),
      ]),
      { name: "n" },
    ],
  ])("%s", (_name, definition, bytes, want) => expect(read(definition, bytes)).toEqual(want));
});

describe("the table of numbers", () => {
  /** In the envelope, not in the message. */
  const TYPE_META = /^(apiVersion|kind)$/;
  const OF_SUBRESOURCES = [
    `${CORE}.Binding`,
    "io.k8s.api.authentication.v1.TokenRequest",
    "io.k8s.api.autoscaling.v1.Scale",
    "io.k8s.api.policy.v1.Eviction",
  ];
  const sent = new Set<string>();
  for (const definition of [...RESOURCES.map(({ schema }) => schema), ...OF_SUBRESOURCES]) collect(definition);

  /** With all that a definition refers to. */
  function collect(definition: string): void {
    if (sent.has(definition)) return;
    sent.add(definition);
    for (const [, name] of JSON.stringify(definitions()[definition]).matchAll(/"\$ref":"([^"]+)"/g)) collect(name!);
  }

  function namesIn(message: Message): string[] {
    return message.fields.flatMap((field) => {
      if (!field) return [];
      return field.shape === "inline" && field.type.kind === "message" ? namesIn(field.type.message) : [field.name];
    });
  }

  it("has every field of every kind", () => {
    const missing = [...sent].flatMap((definition) => {
      const properties = Object.keys(definitions()[definition]!.properties ?? {}).filter(
        (name) => !TYPE_META.test(name),
      );
      const known = new Set(properties.length > 0 ? namesIn(messageOf(definition)!) : []);
      return properties.filter((name) => !known.has(name)).map((name) => `${definition} ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it("has no field that the schemas lack, and no number twice", () => {
    for (const definition of sent) {
      const properties = definitions()[definition]!.properties;
      if (!properties) continue;
      const names = namesIn(messageOf(definition)!);
      expect(names.filter((name) => !Object.hasOwn(properties, name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe("what was encoded is decoded again", () => {
  const KINDS = RESOURCES.map(({ schema }) => schema);

  it.each([...new Set(KINDS)])("%s", (definition) => {
    const message = messageOf(definition)!;
    fc.assert(
      fc.property(anyObjectOf(message, 3), (object) => {
        expect(read(definition, encodeMessage(message, object))).toEqual(object);
      }),
      { numRuns: 5 },
    );
  });
});
