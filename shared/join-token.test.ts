import { describe, expect, it } from "vitest";
import { type JoinToken, parseJoinToken, printJoinToken } from "./join-token.ts";

const TOKEN: JoinToken = {
  endpoint: "https://10.0.0.5:6443",
  cluster: "home",
  secret: "abcdef.0123456789abcdef0123456789abcdef",
  caHash: `sha256:${"0a".repeat(32)}`,
};

describe("join token", () => {
  it("reads back what it prints, spaces around it or not", () => {
    expect(parseJoinToken(` ${printJoinToken(TOKEN)}\n`)).toEqual(TOKEN);
  });

  it("prints text that survives a shell and a URL", () => {
    expect(printJoinToken(TOKEN)).toMatch(/^hearth1\.[A-Za-z0-9_-]+$/);
  });

  it.each([
    { name: "another kind of token", text: "K10abc::server:xyz", want: /must begin with "hearth1\."/ },
    { name: "nothing at all", text: "", want: /not a join token/ },
    { name: "a cut one", text: printJoinToken(TOKEN).slice(0, 40), want: /damaged/ },
    { name: "no base64", text: "hearth1.%%%", want: /does not decode/ },
    { name: "JSON that is no object", text: `hearth1.${btoa("7")}`, want: /does not decode/ },
    { name: "an endless one", text: `hearth1.${"A".repeat(5000)}`, want: /far too long/ },
    { name: "a plain http endpoint", text: printJoinToken({ ...TOKEN, endpoint: "http://10.0.0.5" }), want: /field/ },
    { name: "a short CA hash", text: printJoinToken({ ...TOKEN, caHash: "sha256:00" }), want: /field/ },
    { name: "a secret without an id", text: printJoinToken({ ...TOKEN, secret: "x" }), want: /field/ },
    { name: "a cluster that is no label", text: printJoinToken({ ...TOKEN, cluster: "../a" }), want: /field/ },
  ])("refuses $name", ({ text, want }) => {
    expect(() => parseJoinToken(text)).toThrow(want);
  });
});
