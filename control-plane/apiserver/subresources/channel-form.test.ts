import { describe, expect, it } from "vitest";
import { formOf, toClient, toNode } from "./channel-form.ts";

const bytes = (channel: number, text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array([channel, ...new TextEncoder().encode(text)]);
const SUCCESS = JSON.stringify({ status: "Success" });
const FAILURE = JSON.stringify({ status: "Failure", message: "command terminated with exit code 3" });

describe("a message of the node's, to a client", () => {
  it.each<{ name: string; protocol: string; message: Uint8Array; want: string | Uint8Array | undefined }>([
    { name: "goes as it is", protocol: "channel.k8s.io", message: bytes(1, "hi"), want: bytes(1, "hi") },
    { name: "that asked for none, too", protocol: "", message: bytes(2, "hi"), want: bytes(2, "hi") },
    { name: "is base64 after the digit", protocol: "base64.channel.k8s.io", message: bytes(1, "hi"), want: "1aGk=" },
    { name: "may be empty", protocol: "v4.base64.channel.k8s.io", message: bytes(1, ""), want: "1" },
    { name: "has a Status since v4", protocol: "v4.base64.channel.k8s.io", message: bytes(3, "{}"), want: "3e30=" },
    { name: "says nothing of success", protocol: "channel.k8s.io", message: bytes(3, SUCCESS), want: undefined },
    {
      name: "says in words what failed",
      protocol: "channel.k8s.io",
      message: bytes(3, FAILURE),
      want: bytes(3, "command terminated with exit code 3"),
    },
    {
      name: "says so in base64",
      protocol: "base64.channel.k8s.io",
      message: bytes(3, FAILURE),
      want: `3${btoa("command terminated with exit code 3")}`,
    },
    { name: "of words stays", protocol: "channel.k8s.io", message: bytes(3, "broken"), want: bytes(3, "broken") },
  ])("$name", ({ protocol, message, want }) => expect(toClient(message, formOf(protocol))).toEqual(want));
});

describe("a client's message, to the node", () => {
  it.each<{ name: string; protocol: string; data: string | ArrayBuffer; want: Uint8Array | undefined }>([
    { name: "goes as it is", protocol: "channel.k8s.io", data: bytes(0, "ls\n").buffer, want: bytes(0, "ls\n") },
    { name: "may be a text", protocol: "channel.k8s.io", data: "\u0000ls\n", want: bytes(0, "ls\n") },
    { name: "is base64 after the digit", protocol: "base64.channel.k8s.io", data: "0bHMK", want: bytes(0, "ls\n") },
    {
      name: "may be the bytes of that",
      protocol: "base64.channel.k8s.io",
      data: bytes(48, "bHMK").buffer,
      want: bytes(0, "ls\n"),
    },
    { name: "needs a digit", protocol: "base64.channel.k8s.io", data: "bHMK", want: undefined },
    { name: "needs base64", protocol: "base64.channel.k8s.io", data: "0b*", want: undefined },
    { name: "is not empty", protocol: "base64.channel.k8s.io", data: "", want: undefined },
  ])("$name", ({ protocol, data, want }) => expect(toNode(data, formOf(protocol))).toEqual(want));
});
