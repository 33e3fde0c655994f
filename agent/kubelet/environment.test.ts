import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Container } from "../api/index.ts";
import { type EnvironmentSources, environmentReferences, expandSubPath, resolveEnvironment } from "./environment.ts";

const SOURCES: EnvironmentSources = {
  configMaps: new Map([["cm", { metadata: { name: "cm" }, data: { color: "blue" } }]]),
  secrets: new Map([["sec", { metadata: { name: "sec" }, data: { key: Buffer.from("open").toString("base64") } }]]),
  serviceVariables: { KUBERNETES_SERVICE_HOST: "10.96.0.1", TAKEN: "service" },
  addresses: { hostIps: ["192.0.2.9"], podIps: ["10.244.0.5"] },
  allocatable: { cpu: "2", memory: "8Gi" },
};
const SERVICES = { KUBERNETES_SERVICE_HOST: "10.96.0.1", TAKEN: "service" };

const resolve = (fields: Partial<Container>) =>
  Object.fromEntries(resolveEnvironment(aPod(), aContainer("main", fields), SOURCES));

const from = (valueFrom: NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>) => [{ name: "X", valueFrom }];

describe("expandSubPath", () => {
  const environment = new Map([
    ["POD", "web-0"],
    ["EMPTY", ""],
  ]);
  it.each([
    ["logs/$(POD)", "logs/web-0"],
    ["$$(POD)", "$(POD)"],
    ["plain", "plain"],
  ])("%s is %s", (expression, want) => expect(expandSubPath(expression, environment)).toBe(want));

  it("refuses what has no value", () => {
    expect(() => expandSubPath("$(X)/$(POD)/$(EMPTY)/$(X)", environment)).toThrow("missing value for EMPTY, X");
  });
});

describe("resolveEnvironment", () => {
  it.each<{ name: string; fields: Partial<Container>; want: Record<string, string> }>([
    { name: "only services", fields: {}, want: {} },
    { name: "a variable over a service's", fields: { env: [{ name: "TAKEN", value: "own" }] }, want: { TAKEN: "own" } },
    {
      name: "references to what was declared before, and to services",
      fields: {
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "$(A)-$(KUBERNETES_SERVICE_HOST)-$(LATER)" },
          { name: "LATER", value: "x" },
        ],
      },
      want: { A: "1", B: "1-10.96.0.1-$(LATER)", LATER: "x" },
    },
    {
      name: "whole objects with a prefix, and env over them",
      fields: {
        envFrom: [{ configMapRef: { name: "cm" } }, { prefix: "S_", secretRef: { name: "sec" } }],
        env: [{ name: "color", value: "red" }],
      },
      want: { color: "red", S_key: "open" },
    },
    {
      name: "a key of a ConfigMap",
      fields: { env: from({ configMapKeyRef: { name: "cm", key: "color" } }) },
      want: { X: "blue" },
    },
    {
      name: "a key of a Secret",
      fields: { env: from({ secretKeyRef: { name: "sec", key: "key" } }) },
      want: { X: "open" },
    },
    { name: "a field", fields: { env: from({ fieldRef: { fieldPath: "status.podIP" } }) }, want: { X: "10.244.0.5" } },
    {
      name: "a limit that is not set is the node's",
      fields: { env: from({ resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } }) },
      want: { X: "8192" },
    },
    {
      name: "missing and optional: left out",
      fields: {
        envFrom: [{ configMapRef: { name: "none", optional: true } }],
        env: from({ secretKeyRef: { name: "sec", key: "none", optional: true } }),
      },
      want: {},
    },
  ])("$name", ({ fields, want }) => expect(resolve(fields)).toEqual({ ...SERVICES, ...want }));

  it.each<{ name: string; fields: Partial<Container>; message: string }>([
    {
      name: "object of envFrom",
      fields: { envFrom: [{ configMapRef: { name: "none" } }] },
      message: 'configmap "none" not found',
    },
    {
      name: "object of env",
      fields: { env: from({ secretKeyRef: { name: "none", key: "k" } }) },
      message: 'secret "none" not found',
    },
    {
      name: "key",
      fields: { env: from({ configMapKeyRef: { name: "cm", key: "none" } }) },
      message: "couldn't find key none in ConfigMap default/cm",
    },
  ])("throws for a missing $name", ({ fields, message }) => expect(() => resolve(fields)).toThrow(message));
});

it("environmentReferences names every object once", () => {
  const container = aContainer("main", {
    envFrom: [{ configMapRef: { name: "cm" } }, { secretRef: { name: "s1" } }],
    env: [...from({ configMapKeyRef: { name: "cm", key: "k" } }), ...from({ secretKeyRef: { name: "s2", key: "k" } })],
  });
  expect(environmentReferences(container)).toEqual({ configMaps: ["cm"], secrets: ["s1", "s2"] });
});
