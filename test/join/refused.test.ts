import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseJoinToken, printJoinToken } from "../../shared/join-token.ts";
import { OwnCluster } from "../harness/own-cluster.ts";

const HEARTH = join(import.meta.dirname, "../../hearth");

let cluster: OwnCluster;
let token: string;
let parent: string;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  token = await cluster.joinToken();
  parent = mkdtempSync(join(tmpdir(), "hearth-join-"));
});

afterAll(async () => {
  await cluster?.remove();
  if (parent) rmSync(parent, { recursive: true, force: true });
});

function joinWith(text: string, env: Record<string, string> = {}): Promise<{ code: number; stderr: string }> {
  const args = ["agent", "join", text, "--node-name", "refused", "--state-dir", join(parent, "state"), "--no-service"];
  return new Promise((resolve) => {
    execFile(HEARTH, args, { env: { ...process.env, ...env } }, (error, _stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stderr }),
    );
  });
}

const changed = (change: (fields: ReturnType<typeof parseJoinToken>) => void): string => {
  const fields = parseJoinToken(token);
  change(fields);
  return printJoinToken(fields);
};

it.each<{ name: string; text: () => string; want: RegExp }>([
  { name: "no token at all", text: () => "nonsense", want: /not a join token|token/i },
  {
    name: "an unknown token",
    text: () =>
      changed((fields) => {
        fields.secret = `aaaaaa.${"b".repeat(32)}`;
      }),
    want: /unknown|not known/i,
  },
  {
    name: "another CA",
    text: () =>
      changed((fields) => {
        fields.caHash = `sha256:${"0".repeat(64)}`;
      }),
    want: /CA|certificate/i,
  },
  {
    name: "nobody there",
    text: () =>
      changed((fields) => {
        fields.endpoint = "https://127.0.0.1:9";
      }),
    want: /nothing listens|reach|connect/i,
  },
])("agent join refuses $name in a clear sentence, and leaves nothing behind", async ({ text, want }) => {
  const { code, stderr } = await joinWith(text());
  expect(code).toBe(1);
  expect(stderr).toMatch(want);
  expect(stderr).not.toMatch(/\n\s+at /); // no stack
  expect(existsSync(join(parent, "state"))).toBe(false);
  expect(readdirSync(parent)).toEqual([]);
});

it("an expired token is useless", async () => {
  const short = await cluster.joinToken("--ttl", "1s");
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { code, stderr } = await joinWith(short);
  expect(code).toBe(1);
  expect(stderr).toMatch(/expired/);
  expect(existsSync(join(parent, "state"))).toBe(false);
});
