import { describe, expect, it } from "vitest";
import { chooseProtocol } from "../web-socket/index.ts";
import { parseLogOptions, renderLogQuery } from "./log-options.ts";
import { chooseContainer, type PodOfContainers } from "./pod-container.ts";
import { renderKubeletQuery } from "./remote-command.ts";

const pod = (...names: string[]): PodOfContainers => ({
  metadata: { name: "p", namespace: "default" },
  spec: { containers: names.map((name) => ({ name })), initContainers: [{ name: "setup" }] },
});

describe("the container", () => {
  it.each([
    { asked: "", of: pod("a"), want: "a" },
    { asked: "setup", of: pod("a"), want: "setup" },
    { asked: "b", of: pod("a", "b"), want: "b" },
  ])("'$asked' means $want", ({ asked, of, want }) => expect(chooseContainer(of, asked)).toBe(want));

  it.each([
    { asked: "x", of: pod("a"), message: "container x is not valid for pod p" },
    { asked: "", of: pod(), message: "a container name must be specified for pod p" },
    {
      asked: "",
      of: pod("a", "b"),
      message: "a container name must be specified for pod p, choose one of: [setup a b]",
    },
  ])("$message", ({ asked, of, message }) => {
    expect(() => chooseContainer(of, asked)).toThrowError(expect.objectContaining({ message }));
  });
});

describe("log options", () => {
  it.each([
    { query: "", want: "" },
    { query: "container=c&follow=true&previous=false&timestamps=", want: "follow=true&timestamps=true" },
    { query: "tailLines=0&limitBytes=5&sinceSeconds=60", want: "sinceSeconds=60&tailLines=0&limitBytes=5" },
    { query: "sinceTime=2026-01-02T03:04:05Z", want: "sinceTime=2026-01-02T03%3A04%3A05Z" },
  ])("?$query asks the kubelet for ?$want", ({ query, want }) => {
    expect(renderLogQuery(parseLogOptions("p", new URLSearchParams(query))).toString()).toBe(want);
  });

  it.each([
    { query: "tailLines=x", code: 400, message: 'strconv.ParseInt: parsing "x": invalid syntax' },
    { query: "tailLines=9223372036854775808", code: 400, message: "value out of range" },
    { query: "tailLines=-1", code: 422, message: "tailLines: Invalid value: -1: must be greater than or equal to 0" },
    { query: "limitBytes=0", code: 422, message: "limitBytes: Invalid value: 0: must be greater than 0" },
    { query: "sinceSeconds=0", code: 422, message: "sinceSeconds: Invalid value: 0: must be greater than 0" },
    {
      query: "sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z",
      code: 422,
      message: "at most one of `sinceTime` or `sinceSeconds` may be specified",
    },
    { query: "sinceTime=yesterday", code: 400, message: 'parsing time "yesterday"' },
    { query: "stream=Stdout", code: 422, message: "stream: Forbidden: may not be specified" },
  ])("?$query is refused", ({ query, code, message }) => {
    expect(() => parseLogOptions("p", new URLSearchParams(query))).toThrowError(
      expect.objectContaining({
        status: expect.objectContaining({ code, message: expect.stringContaining(message) }),
      }),
    );
  });
});

describe("a session's streams", () => {
  it.each([
    {
      query: "stdin=true&stdout=true&stderr=true&command=a&command=b%20c",
      want: "input=1&output=1&error=1&command=a&command=b+c",
    },
    { query: "stdout=1&stderr=1&tty=1", want: "output=1&tty=1" },
  ])("?$query", ({ query, want }) => expect(renderKubeletQuery(new URLSearchParams(query)).toString()).toBe(want));

  it("must be at least one", () => {
    expect(() => renderKubeletQuery(new URLSearchParams("stderr=1&tty=1"))).toThrow(
      "you must specify at least 1 of stdin, stdout, stderr",
    );
  });
});

describe("the subprotocol", () => {
  const ask = (headers: Record<string, string>) =>
    chooseProtocol(new Request("http://x/", { headers }), ["v5.channel.k8s.io", "v4.channel.k8s.io"]);

  it("is the client's first that we speak", () => {
    expect(ask({ upgrade: "websocket", "sec-websocket-protocol": "v9, v4.channel.k8s.io, v5.channel.k8s.io" })).toBe(
      "v4.channel.k8s.io",
    );
  });

  it("is refused for SPDY clients, and for those who speak none of ours", () => {
    expect(() => ask({ upgrade: "SPDY/3.1" })).toThrow("Upgrade request required");
    expect(() => ask({ upgrade: "websocket", "sec-websocket-protocol": "v9" })).toThrow("unable to upgrade");
  });
});
