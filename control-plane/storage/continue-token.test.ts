import { describe, expect, it } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const token = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");

describe("continue tokens", () => {
  it.each([
    { revision: 7, after: "default/web-0" },
    { revision: 123_456_789, after: "node-1" },
  ])("come back as they went, $after", (continuation) => {
    expect(decodeContinue(encodeContinue(continuation))).toEqual(continuation);
  });

  it("have upstream's form", () => {
    const json = atob(encodeContinue({ revision: 7, after: "default/web-0" }));
    expect(JSON.parse(json)).toEqual({ v: "meta.k8s.io/v1", rv: 7, start: "default/web-0\0" });
  });

  it.each([
    { name: "not base64", text: "***", error: "continue key is not valid: illegal base64 data at input byte 0" },
    { name: "cut off", text: "eyJ2I", error: "continue key is not valid: illegal base64 data at input byte 4" },
    {
      name: "not JSON",
      text: btoa("Xello").replace("=", ""),
      error: "continue key is not valid: invalid character 'X' looking for beginning of value",
    },
    {
      name: "JSON of another kind",
      text: token("x"),
      error: "continue key is not valid: json: cannot unmarshal string into Go value of type storage.continueToken",
    },
    {
      name: "endless",
      text: "A".repeat(4_000),
      error: "continue key is not valid: it is longer than 2048 characters",
    },
    {
      name: "another version",
      text: token({ v: "v9", rv: 1, start: "a" }),
      error: "continue key is not valid: server does not recognize this encoded version v9",
    },
    {
      name: "no revision",
      text: token({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
      error: "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    },
    {
      name: "no key",
      text: token({ v: "meta.k8s.io/v1", rv: 1, start: "" }),
      error: "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    },
    {
      name: "a way out of the resource",
      text: token({ v: "meta.k8s.io/v1", rv: 1, start: "../secrets/a" }),
      error: "continue key is not valid: ../secrets/a",
    },
  ])("are refused: $name", ({ text, error }) => expect(decodeContinue(text)).toEqual({ error }));
});
