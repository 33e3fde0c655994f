import { describe, expect, it } from "vitest";
import { checkProduced, inputFormat, negotiate, type Offer, PRODUCED, wantsPretty } from "./negotiation.ts";

describe("an answer's form", () => {
  const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
  it.each<{ name: string; accept: string | null; offer?: Offer; want: object }>([
    { name: "is JSON when nothing is asked", accept: null, want: { format: "json" } },
    { name: "is what is asked", accept: "application/yaml", want: { format: "yaml" } },
    { name: "goes by quality", accept: "application/yaml;q=0.1,application/json", want: { format: "json" } },
    {
      name: "is protobuf for typed clients",
      accept: "application/vnd.kubernetes.protobuf,application/json",
      want: { format: "protobuf" },
    },
    {
      name: "is no table in protobuf",
      accept: "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json",
      offer: { transforms: true },
      want: { format: "json" },
    },
    {
      name: "is metadata in protobuf",
      accept: "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      offer: { transforms: true, stream: true },
      want: { format: "protobuf", as: { kind: "PartialObjectMetadata", version: "v1" } },
    },
    {
      name: "is a table where there are tables",
      accept: TABLE,
      offer: { transforms: true },
      want: { as: { kind: "Table", version: "v1" } },
    },
    { name: "prefers a type by its name to any", accept: "*/*;q=0.9,application/yaml;q=0.1", want: { format: "yaml" } },
    { name: "is JSON for any", accept: "text/html,*/*;q=0.1", want: { format: "json" } },
    { name: "falls back behind a table", accept: `${TABLE},application/json`, want: { format: "json" } },
  ])("$name", ({ accept, offer = {}, want }) => expect(negotiate(accept, offer, false)).toMatchObject(want));

  it.each<{ name: string; accept: string; offer?: Offer; want: string }>([
    { name: "unknown types", accept: "text/html", want: "only the following media types are accepted" },
    {
      name: "a stream of YAML",
      accept: "application/yaml;stream=watch",
      offer: { stream: true },
      want: "application/json, application/yaml",
    },
    {
      name: "values in quotes",
      accept: 'application/json;as="Table";v="v1";g="meta.k8s.io"',
      offer: { transforms: true },
      want: "only the following media types are accepted",
    },
    {
      name: "one document of all groups where there is none",
      accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      want: "only the following media types are accepted",
    },
    {
      name: "YAML for a watch",
      accept: "application/yaml, */*",
      offer: { stream: true },
      want: "application/json;stream=watch",
    },
    {
      name: "a table of what is not printed",
      accept: TABLE,
      offer: { transforms: true, untabled: true },
      want: "only the following media types are accepted",
    },
  ])("is refused for $name", ({ accept, offer = {}, want }) => {
    expect(() => negotiate(accept, offer, false)).toThrow(want);
  });

  it.each([
    { accept: "text/html", ok: false },
    { accept: "*", ok: false },
    { accept: "application/*", ok: false },
    { accept: "APPLICATION/JSON", ok: false },
    { accept: "*/*;q=0.1", ok: true },
    { accept: "text/html, application/yaml;q=0", ok: true },
  ])("lets $accept as far as the handler: $ok", ({ accept, ok }) => {
    const check = () => checkProduced(accept, PRODUCED);
    if (ok) expect(check).not.toThrow();
    else expect(check).toThrow("406: Not Acceptable\n\nAvailable representations: application/json");
  });

  it.each(["constructor", "__proto__", "text/plain"])("does not read a body of type %s", (type) =>
    expect(inputFormat(type)).toBeUndefined(),
  );

  it("walks a long header once", () => {
    const spaces = " ".repeat(1_000_000);
    const header = `application/json${spaces};a=b${spaces}c,application/yaml;q=${"1".repeat(1_000_000)}x`;
    expect(negotiate(header, {}, false)).toMatchObject({ format: "json" });
    expect(() => checkProduced(header, PRODUCED)).not.toThrow();
  });

  it("is laid out for people", () => {
    expect(wantsPretty(new URLSearchParams(), "curl/8")).toBe(true);
    expect(wantsPretty(new URLSearchParams("pretty=false"), "curl/8")).toBe(false);
    expect(wantsPretty(new URLSearchParams(), "kubectl/v1.36")).toBe(false);
  });
});
