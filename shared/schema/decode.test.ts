import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../api/json.ts";
import { parseJsonNumbers, spellingOf } from "../api/json-numbers.ts";
import { ApiError } from "../api/status.ts";
import { decodeObject } from "./decode.ts";

const CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap";
const POD = "io.k8s.api.core.v1.Pod";
const VALIDATING_POLICY = "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy";
const CERTIFICATE_REQUEST = "io.k8s.api.certificates.v1.CertificateSigningRequest";
const DEPLOYMENT = "io.k8s.api.apps.v1.Deployment";

const configMap = (fields: JsonObject): JsonObject => ({ apiVersion: "v1", kind: "ConfigMap", ...fields });
const deployment = (spec: JsonObject): JsonObject => ({ apiVersion: "apps/v1", kind: "Deployment", spec });
const pod = (spec: JsonObject): JsonObject => ({ apiVersion: "v1", kind: "Pod", spec });

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 400) return error.message;
    throw error;
  }
  throw new Error("expected a refusal");
}

describe("numbers, as they were written", () => {
  const replicas = (text: string) =>
    parseJsonNumbers(`{"kind":"Deployment","apiVersion":"apps/v1","spec":{"replicas":${text}}}`);
  it.each(["1.0", "1e2", "1E+2", "0.0", "-1.50", "99999999999999999999", "1e400"])("%s is no int32", (text) => {
    expect(refusal(() => decodeObject(DEPLOYMENT, replicas(text), "Ignore"))).toContain(
      `cannot unmarshal number ${text} into Go struct field DeploymentSpec.spec.replicas of type int32`,
    );
  });

  it("takes minus zero, and what is in a list", () => {
    expect(decodeObject(DEPLOYMENT, replicas("-0"), "Ignore").object.spec).toMatchObject({ replicas: -0 });
    const text = '{"kind":"Pod","apiVersion":"v1","spec":{"securityContext":{"supplementalGroups":[1, 2.0]}}}';
    expect(refusal(() => decodeObject(POD, parseJsonNumbers(text), "Ignore"))).toContain("unmarshal number 2.0 into");
  });

  it("reads a quantity's own text", () => {
    const text = '{"kind":"Pod","apiVersion":"v1","spec":{"overhead":{"cpu": 1e3, "memory": 1.50}}}';
    const { object } = decodeObject(POD, parseJsonNumbers(text), "Ignore");
    expect(object.spec).toMatchObject({ overhead: { cpu: "1e3", memory: "1500m" } });
  });
});

it("remembers how a bounded number of numbers was written", () => {
  const list = parseJsonNumbers(`[${Array<string>(20_000).fill("1.0").join(",")}]`) as number[];
  expect([spellingOf(list, 0), spellingOf(list, 9_999), spellingOf(list, 10_000)]).toEqual(["1.0", "1.0", undefined]);
  expect(list).toHaveLength(20_000);
});

it("walks the spaces of a quantity once", () => {
  const text = `1${" ".repeat(1_000_000)}x`;
  const value = { kind: "Pod", apiVersion: "v1", spec: { overhead: { cpu: text } } };
  expect(refusal(() => decodeObject(POD, value, "Ignore"))).toContain("quantities must match the regular expression");
});

describe("type errors", () => {
  it.each([
    [
      POD,
      pod({ volumes: [{ name: "v", emptyDir: 5 }] }),
      "cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
    ],
    [
      POD,
      pod({ volumes: [{ name: 5 }] }),
      "cannot unmarshal number into Go struct field Volume.spec.volumes.name of type string",
    ],
    [
      VALIDATING_POLICY,
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicy",
        spec: { matchConstraints: { resourceRules: [{ apiGroups: 5 }] } },
      },
      "cannot unmarshal number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule.apiGroups of type []string",
    ],
    [
      CERTIFICATE_REQUEST,
      { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", spec: { extra: { a: "b" } } },
      "cannot unmarshal string into Go struct field CertificateSigningRequestSpec.spec.extra of type v1.ExtraValue",
    ],
    [
      CONFIG_MAP,
      configMap({ metadata: { name: 5 } }),
      "cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
    ],
    [
      CONFIG_MAP,
      configMap({ metadata: "x" }),
      "cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
    ],
    [
      CONFIG_MAP,
      configMap({ metadata: { labels: { n: true } } }),
      "cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      CONFIG_MAP,
      configMap({ data: { x: 1 } }),
      "cannot unmarshal number into Go struct field ConfigMap.data of type string",
    ],
    [
      CONFIG_MAP,
      configMap({ data: [] }),
      "cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string",
    ],
    [
      CONFIG_MAP,
      configMap({ immutable: "yes" }),
      "cannot unmarshal string into Go struct field ConfigMap.immutable of type bool",
    ],
    [
      DEPLOYMENT,
      deployment({ replicas: "3" }),
      "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      DEPLOYMENT,
      deployment({ replicas: 1.5 }),
      "cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      DEPLOYMENT,
      deployment({ replicas: 2147483648 }),
      "cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      DEPLOYMENT,
      deployment({ strategy: { rollingUpdate: { maxSurge: true } } }),
      "cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32",
    ],
    [
      POD,
      pod({ containers: {} }),
      "cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [
      POD,
      pod({ containers: ["a"] }),
      "cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container",
    ],
    [
      POD,
      pod({ restartPolicy: 1 }),
      "cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
    ],
    [
      POD,
      pod({ containers: [{ name: 1 }] }),
      "cannot unmarshal number into Go struct field Container.spec.containers.name of type string",
    ],
  ])("%s %j", (schema, value, want) => {
    const { kind, apiVersion } = value as { kind: string; apiVersion: string };
    const version = apiVersion.split("/").at(-1);
    const message = `${kind} in version "${version}" cannot be handled as a ${kind}: json: ${want}`;
    expect(refusal(() => decodeObject(schema, value, "Warn"))).toBe(message);
  });

  it.each([
    [CONFIG_MAP, configMap({ binaryData: { x: "%%%" } }), "illegal base64 data at input byte 0"],
    [CONFIG_MAP, configMap({ binaryData: { x: "abc" } }), "illegal base64 data at input byte 0"],
    [CONFIG_MAP, configMap({ binaryData: { x: "abcd=" } }), "illegal base64 data at input byte 4"],
    [
      CONFIG_MAP,
      configMap({ metadata: { creationTimestamp: "yesterday" } }),
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      POD,
      pod({ containers: [{ resources: { limits: { cpu: "abc" } } }] }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])("without a place: %s %j", (schema, value, want) => {
    expect(refusal(() => decodeObject(schema, value, "Ignore"))).toMatch(/cannot be handled as a .*: /);
    expect(
      refusal(() => decodeObject(schema, value, "Ignore"))
        .split(": ")
        .slice(1)
        .join(": "),
    ).toBe(want);
  });

  it("takes the definition's kind for one that is not told", () => {
    const message = refusal(() => decodeObject(CONFIG_MAP, { data: 7 }, "Warn"));
    expect(message).toMatch(/^ConfigMap in version "v1" cannot be handled as a ConfigMap: /);
  });
});

describe("unknown fields", () => {
  const value = configMap({ metadata: { name: "a", colour: "red" }, surplus: { deep: [1] } });

  it("are dropped and named", () => {
    const { object, unknownFields } = decodeObject(CONFIG_MAP, value, "Warn");
    expect(object).toEqual(configMap({ metadata: { name: "a" } }));
    expect(unknownFields).toEqual(['unknown field "metadata.colour"', 'unknown field "surplus"']);
  });

  it("are dropped in silence when asked", () => {
    expect(decodeObject(CONFIG_MAP, value, "Ignore", ['duplicate field "x"']).unknownFields).toEqual([]);
  });

  it("are refused in strict mode, duplicates first", () => {
    expect(refusal(() => decodeObject(CONFIG_MAP, value, "Strict", ['duplicate field "data.x"']))).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.x", unknown field "metadata.colour", unknown field "surplus"',
    );
  });

  it("are named with their place in lists and maps", () => {
    const { unknownFields } = decodeObject(POD, pod({ containers: [{ name: "a" }, { name: "b", extra: 1 }] }), "Warn");
    expect(unknownFields).toEqual(['unknown field "spec.containers[1].extra"']);
  });

  it("are told from known ones by case", () => {
    expect(decodeObject(CONFIG_MAP, configMap({ Data: {} }), "Warn").unknownFields).toEqual(['unknown field "Data"']);
  });

  it("never reach a prototype", () => {
    const hostile = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"polluted":1}}') as Json;
    const { object } = decodeObject(CONFIG_MAP, hostile, "Ignore");
    expect(Object.keys((object.metadata as JsonObject).labels as JsonObject)).toEqual(["__proto__"]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("end at a hundred", () => {
    const many = configMap(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 1])));
    expect(decodeObject(CONFIG_MAP, many, "Warn").unknownFields).toHaveLength(100);
  });
});

describe("canonical form", () => {
  const decodePod = (spec: JsonObject) => decodeObject(POD, pod(spec), "Strict").object.spec as JsonObject;

  it.each([
    {
      name: "null is nothing",
      got: decodeObject(CONFIG_MAP, configMap({ data: null }), "Strict").object,
      want: configMap({ metadata: {} }),
    },
    {
      name: "empty maps and lists that were sent stay",
      got: decodeObject(
        CONFIG_MAP,
        configMap({ metadata: { name: "a", labels: {}, finalizers: [] }, data: {} }),
        "Strict",
      ).object,
      want: configMap({ metadata: { name: "a", labels: {}, finalizers: [] }, data: {} }),
    },
    {
      name: "bytes may be a list of numbers",
      got: decodeObject(CONFIG_MAP, configMap({ metadata: {}, binaryData: { a: [1, 2], b: [], c: null } }), "Strict")
        .object,
      want: configMap({ metadata: {}, binaryData: { a: "AQI=", b: "", c: "" } }),
    },
    {
      name: "zero vanishes where upstream has no pointer, and stays where it has",
      got: decodePod({
        containers: [{ name: "a" }],
        hostNetwork: false,
        terminationGracePeriodSeconds: 0,
        schedulerName: "",
      }),
      want: { containers: [{ name: "a", resources: {} }], terminationGracePeriodSeconds: 0 },
    },
    { name: "what is always written is null", got: decodePod({}), want: { containers: null } },
    {
      name: "structs by value are always there",
      got: decodeObject(DEPLOYMENT, { kind: "Deployment" }, "Strict").object,
      want: {
        kind: "Deployment",
        metadata: {},
        spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
        status: {},
      },
    },
    {
      name: "a list that is always written is null when it was not sent",
      got: decodeObject("io.k8s.api.rbac.v1.Role", {}, "Strict").object,
      want: { metadata: {}, rules: null },
    },
    {
      name: "quantities, given as texts or numbers",
      got: decodePod({ containers: [{ name: "a", resources: { requests: { cpu: 0.5, memory: "1024Mi" } } }] }),
      want: { containers: [{ name: "a", resources: { requests: { cpu: "500m", memory: "1Gi" } } }] },
    },
    {
      name: "int-or-string keeps its kind",
      got: decodePod({
        containers: [
          { name: "a", livenessProbe: { httpGet: { port: "http" } }, readinessProbe: { httpGet: { port: 80 } } },
        ],
      }),
      want: {
        containers: [
          {
            name: "a",
            resources: {},
            livenessProbe: { httpGet: { port: "http" } },
            readinessProbe: { httpGet: { port: 80 } },
          },
        ],
      },
    },
    {
      name: "empty structs behind pointers stay",
      got: decodePod({ containers: [{ name: "a" }], volumes: [{ name: "v", emptyDir: {} }] }),
      want: { containers: [{ name: "a", resources: {} }], volumes: [{ name: "v", emptyDir: {} }] },
    },
    {
      name: "null items are zero values",
      got: decodePod({ containers: [null, { name: "a", args: [null, "x"] }] }),
      want: {
        containers: [
          { name: "", resources: {} },
          { name: "a", args: ["", "x"], resources: {} },
        ],
      },
    },
    {
      name: "free-form parts are kept as they are",
      got: decodeObject("io.k8s.api.apps.v1.ControllerRevision", { revision: 1, data: { a: [], b: null } }, "Strict")
        .object,
      want: { metadata: {}, revision: 1, data: { a: [], b: null } },
    },
  ])("$name", ({ got, want }) => expect(got).toEqual(want));

  it("is stable", () => {
    const once = decodeObject(
      DEPLOYMENT,
      deployment({ replicas: 0, template: { spec: { containers: [{ name: "a" }] } } }),
      "Strict",
    ).object;
    expect(decodeObject(DEPLOYMENT, once, "Strict").object).toEqual(once);
  });

  it("does not change or share what it was given", () => {
    const given = pod({ containers: [{ name: "a", args: ["x"] }] });
    const before = structuredClone(given);
    const { object } = decodeObject(POD, given, "Strict");
    ((object.spec as JsonObject).containers as JsonObject[])[0]!.args = ["y"];
    expect(given).toEqual(before);
  });

  it("bounds the depth of a kind that holds itself", () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 2_000; i++) schema = { properties: { a: schema } };
    const crd: JsonObject = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    const definition = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";
    expect(refusal(() => decodeObject(definition, crd, "Ignore"))).toMatch(/exceeded max depth$/);
  });
});
