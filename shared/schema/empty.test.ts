import { describe, expect, it } from "vitest";
import type { JsonObject } from "../api/json.ts";
import { dropEmpty, type Emptied } from "./empty.ts";

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
      name: "maps alone",
      got: dropped("core.v1.ConfigMap", configMap(), "maps"),
      want: { metadata: { name: "a", finalizers: [] }, binaryData: { a: "", b: "AQ==" } },
    },
    {
      name: "lists too; bytes in a map stay",
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
      name: "structs without a member are something",
      got: dropped("core.v1.Volume", { name: "v", emptyDir: {}, projected: { sources: [] } }, "stored"),
      want: { name: "v", emptyDir: {}, projected: { sources: null } },
    },
  ])("$name", ({ got, want }) => expect(got).toEqual(want));
});
