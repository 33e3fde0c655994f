import { describe, expect, it } from "vitest";
import type { JsonObject } from "../api/json.ts";
import { dropEmpty, type Emptied, isEmptyMap, markEmptyMaps } from "./empty.ts";

const dropped = (schema: string, object: JsonObject, what: Emptied) => {
  dropEmpty(`io.k8s.api.${schema}`, object, what);
  return object;
};

const configMap = () => ({
  metadata: { name: "a", labels: {}, finalizers: [] },
  data: {},
  binaryData: { a: "", b: "AQ==" },
});

describe("dropEmpty", () => {
  it.each([
    {
      name: "maps and lists; bytes in a map stay",
      got: dropped("core.v1.ConfigMap", configMap(), "unwritten"),
      want: { metadata: { name: "a" }, binaryData: { a: "", b: "AQ==" } },
    },
    {
      name: "a list that is always written stays",
      got: dropped("rbac.v1.Role", { metadata: { name: "a" }, rules: [] }, "unwritten"),
      want: { metadata: { name: "a" }, rules: [] },
    },
    {
      name: "and is null once it is stored, deep down as well",
      got: dropped("rbac.v1.Role", { metadata: {}, rules: [{ verbs: [], apiGroups: [] }] }, "stored"),
      want: { metadata: {}, rules: [{ verbs: null }] },
    },
    {
      name: "bytes that are always written stay bytes",
      got: dropped("certificates.v1.CertificateSigningRequest", { spec: { request: "", usages: [] } }, "stored"),
      want: { spec: { request: "" } },
    },
    {
      name: "what is in an atomic list stays for the comparison of owners, what is in a list by keys does not",
      got: dropped(
        "core.v1.PodSpec",
        {
          hostAliases: [],
          tolerations: [],
          containers: [{ command: [] }],
          topologySpreadConstraints: [{ matchLabelKeys: [] }],
          affinity: {
            nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ preference: { matchFields: [] } }] },
          },
        },
        "owned",
      ),
      want: {
        containers: [{}],
        topologySpreadConstraints: [{}],
        affinity: {
          nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ preference: { matchFields: [] } }] },
        },
      },
    },
    {
      name: "structs without a member are something",
      got: dropped("core.v1.Volume", { name: "v", emptyDir: {}, projected: { sources: [] } }, "stored"),
      want: { name: "v", emptyDir: {}, projected: { sources: null } },
    },
  ])("$name", ({ got, want }) => expect(got).toEqual(want));
});

it("marks maps without content, and no structs", () => {
  const template = { metadata: { labels: {} }, spec: { nodeSelector: {}, securityContext: {}, containers: [] } };
  markEmptyMaps("io.k8s.api.core.v1.PodTemplateSpec", template);
  expect(isEmptyMap(template.metadata.labels)).toBe(true);
  expect(isEmptyMap(template.spec.nodeSelector)).toBe(true);
  expect(isEmptyMap(template.spec.securityContext)).toBe(false);
  expect(isEmptyMap(template.spec.containers)).toBe(false);
  expect(isEmptyMap({})).toBe(false);
});
