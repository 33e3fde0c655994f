import { expect, it } from "vitest";
import { readHostDns } from "./host-dns.ts";

const PLAIN = "nameserver 192.0.2.1\n";
const STUB = "nameserver 127.0.0.53\noptions edns0\n";

it.each([
  { name: "the node's own", files: { "/etc/resolv.conf": PLAIN }, want: ["192.0.2.1"] },
  {
    name: "those behind systemd-resolved, whose stub no pod can reach",
    files: { "/etc/resolv.conf": STUB, "/run/systemd/resolve/resolv.conf": "nameserver 192.0.2.2\n" },
    want: ["192.0.2.2"],
  },
  { name: "the stub if there is nothing else", files: { "/etc/resolv.conf": STUB }, want: ["127.0.0.53"] },
  { name: "none without a resolv.conf", files: {}, want: [] },
])("$name", ({ files, want }) => {
  expect(readHostDns((path) => (files as Record<string, string>)[path]).servers).toEqual(want);
});
