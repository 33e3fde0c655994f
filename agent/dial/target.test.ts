import { describe, expect, it } from "vitest";
import { explainDialFailure } from "./failure.ts";
import { isDialable } from "./target.ts";

it.each([
  { address: "10.244.0.7", want: true },
  { address: "192.168.1.2", want: true },
  { address: "8.8.8.8", want: true },
  { address: "fd00::7", want: true },
  { address: "127.0.0.1", want: false },
  { address: "127.9.9.9", want: false },
  { address: "0.0.0.0", want: false },
  { address: "169.254.169.254", want: false },
  { address: "169.254.40.3", want: false },
  { address: "224.0.0.1", want: false },
  { address: "255.255.255.255", want: false },
  { address: "::", want: false },
  { address: "::1", want: false },
  { address: "fe80::1", want: false },
  { address: "ff02::1", want: false },
  { address: "::ffff:127.0.0.1", want: false },
  { address: "::ffff:a9fe:a9fe", want: false },
])("$address may be dialled: $want", ({ address, want }) => expect(isDialable(address)).toBe(want));

describe("a failure in upstream's words", () => {
  it.each([
    { code: "ECONNREFUSED", want: "dial tcp 10.0.0.1:80: connect: connection refused" },
    { code: "EHOSTUNREACH", want: "dial tcp 10.0.0.1:80: connect: no route to host" },
    { code: "ENETUNREACH", want: "dial tcp 10.0.0.1:80: connect: network is unreachable" },
    { code: "EOTHER", want: "dial tcp 10.0.0.1:80: what happened" },
    { code: "ECONNRESET", isConnected: true, message: "socket hang up", want: "EOF" },
    { code: "ECONNRESET", isConnected: true, want: "read: connection reset by peer" },
    {
      code: "EPROTO",
      isConnected: true,
      message: "write EPROTO 40:error:0A00010B:SSL routines::wrong version number",
      want: "tls: first record does not look like a TLS handshake",
    },
    { code: "EOTHER", isConnected: true, want: "what happened" },
  ])("$code: $want", ({ code, isConnected = false, message = "what happened", want }) => {
    const error = Object.assign(new Error(message), { code });
    expect(explainDialFailure(error, { address: "10.0.0.1", port: 80 }, isConnected)).toBe(want);
  });

  it("names an IPv6 address in brackets", () =>
    expect(
      explainDialFailure(Object.assign(new Error(), { code: "ECONNREFUSED" }), { address: "fd00::1", port: 80 }, false),
    ).toBe("dial tcp [fd00::1]:80: connect: connection refused"));
});
