import { describe, expect, it } from "vitest";
import { bridgeName } from "./bridge-name.ts";
import { checkNodeName } from "./node-name.ts";
import { renderUnit } from "./systemd.ts";

describe("a node's name", () => {
  it.each(["n1", "node-1.example.com", "0"])("may be %s", (name) => expect(checkNodeName(name)).toBe(name));
  it.each(["", "Node", "n_1", "-n", "n-", "a..b", "x".repeat(254)])("may not be %j", (name) => {
    expect(() => checkNodeName(name)).toThrow("is no name for a node");
  });
});

it("a bridge's name fits into what Linux allows", () => {
  expect(bridgeName("abc123")).toBe("hearth-abc123");
  expect(bridgeName("a-very-long-instance")).toHaveLength(15);
});

it("the unit starts this agent on its state directory, and leaves pods alone when it stops", () => {
  const command = ["/opt/node", "/opt/a b/main.ts", "run", "--state-dir", "/var/lib/100%$"];
  const unit = renderUnit(command, { CACHE: "/var/lib/100%$/cache" });
  expect(unit).toContain('ExecStart="/opt/node" "/opt/a b/main.ts" "run" "--state-dir" "/var/lib/100%%$$"\n');
  expect(unit).toContain('Environment="CACHE=/var/lib/100%%$/cache"\n');
  expect(unit).toContain("KillMode=process\n");
});
