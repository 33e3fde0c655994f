import { describe, expect, it } from "vitest";
import type { PodTemplateSpec } from "../../../shared/api/types.ts";
import { controllerRevision } from "../../../test/builders/objects.ts";
import { goJson } from "./go-json.ts";
import { byRevision, dataText, hashOfData, revisionName, templateOf, templatePatch } from "./revision.ts";

describe("goJson", () => {
  it.each([
    {
      name: "sorts keys, numbers too, as text",
      value: { b: 1, a: [2], "10": 0, "9": 0 },
      want: '{"10":0,"9":0,"a":[2],"b":1}',
    },
    { name: "escapes what HTML minds", value: { a: "<b> & c" }, want: String.raw`{"a":"\u003cb\u003e \u0026 c"}` },
    { name: "escapes the line separators", value: "\u2028\u2029", want: String.raw`"\u2028\u2029"` },
    { name: "leaves out what is undefined", value: { a: undefined, b: null }, want: '{"b":null}' },
    { name: "sorts by bytes", value: { "\u{1F600}": 1, "\uFF5E": 2 }, want: '{"\uFF5E":2,"\u{1F600}":1}' },
  ])("$name", ({ value, want }) => expect(goJson(value)).toBe(want));
});

/** As the API returns it. */
const template: PodTemplateSpec = {
  metadata: { labels: { app: "db" } },
  spec: {
    containers: [
      {
        name: "c",
        image: "example.test/img:a",
        imagePullPolicy: "IfNotPresent",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
};

describe("a revision", () => {
  it("has upstream's hash, which a collision changes", () => {
    expect(hashOfData(templatePatch(template), 0)).toBe("647b5df5b9");
    expect(hashOfData(templatePatch(template), 1)).not.toBe("647b5df5b9");
  });

  it("gives the template back", () => {
    const revision = controllerRevision("db-1", 1, templatePatch(template)).build();
    expect(templateOf(revision)).toEqual(template);
    expect(templateOf({ ...revision, data: { spec: {} } })).toBeUndefined();
    expect(templateOf({ ...revision, data: undefined })).toBeUndefined();
  });

  it("says the same in whatever order its fields come", () => {
    const { metadata, spec } = template;
    expect(dataText(templatePatch({ spec, metadata }))).toBe(dataText(templatePatch({ metadata, spec })));
  });

  it("has a name of 253 characters at most", () => {
    expect(revisionName("db", "abc")).toBe("db-abc");
    expect(revisionName("x".repeat(253), "0123456789")).toHaveLength(223 + 11);
  });

  it("is sorted by number, then age, then name", () => {
    const revisions = [
      controllerRevision("c", 2).build(),
      controllerRevision("b", 1).createdAt("2026-01-02T00:00:00Z").build(),
      controllerRevision("z", 1).build(),
      controllerRevision("a", 1).build(),
    ];
    expect(revisions.sort(byRevision).map(({ metadata }) => metadata.name)).toEqual(["a", "z", "b", "c"]);
  });
});
