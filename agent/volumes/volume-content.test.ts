import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Volume } from "../api/index.ts";
import { checkedPath } from "./projection.ts";
import type { VolumeSources } from "./sources.ts";
import { asProjection, readContent, tokenPermissions } from "./volume-content.ts";

const CONFIG = { metadata: { name: "cm" }, data: { color: "blue", size: "10" }, binaryData: { raw: "AAE=" } };
const SECRET = { metadata: { name: "sec" }, data: { key: Buffer.from("open").toString("base64") } };
const SOURCES: VolumeSources = {
  configMap: async (_pod, name) => (name === "cm" ? CONFIG : undefined),
  secret: async (_pod, name) => (name === "sec" ? SECRET : undefined),
  persistentVolume: async () => {
    throw new Error("no claim");
  },
  serviceAccountToken: async (_pod, { audience, expirationSeconds }) => `token for ${audience} ${expirationSeconds}`,
};

async function contentOf(volume: Omit<Volume, "name">): Promise<Record<string, string>> {
  const pod = aPod({}, { labels: { b: "2", a: 'quo"te' } });
  const content = await readContent(asProjection({ name: "v", ...volume })!, {
    pod,
    sources: SOURCES,
    addresses: { hostIps: [], podIps: [] },
    node: { cpuMilli: 2000, memoryBytes: 1024 },
  });
  return Object.fromEntries([...content].map(([path, file]) => [path, `${file.content} ${file.mode.toString(8)}`]));
}

describe("readContent", () => {
  it.each<{ name: string; volume: Omit<Volume, "name">; want: Record<string, string> }>([
    {
      name: "all of a ConfigMap",
      volume: { configMap: { name: "cm" } },
      want: { color: "blue 644", size: "10 644", raw: "\0\u0001 644" },
    },
    {
      name: "items with a mode of their own",
      volume: {
        configMap: {
          name: "cm",
          defaultMode: 0o440,
          items: [
            { key: "color", path: "a/b" },
            { key: "size", path: "s", mode: 0o600 },
          ],
        },
      },
      want: { "a/b": "blue 440", s: "10 600" },
    },
    { name: "a Secret", volume: { secret: { secretName: "sec", defaultMode: 0o400 } }, want: { key: "open 400" } },
    { name: "an optional one that is missing", volume: { secret: { secretName: "none", optional: true } }, want: {} },
    {
      name: "an optional key that is missing",
      volume: { configMap: { name: "cm", optional: true, items: [{ key: "none", path: "p" }] } },
      want: {},
    },
    {
      name: "labels, sorted and quoted",
      volume: { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
      want: { labels: 'a="quo\\"te"\nb="2" 644' },
    },
    {
      name: "several sources, the later one wins",
      volume: {
        projected: {
          defaultMode: 0o444,
          sources: [
            { configMap: { name: "cm", items: [{ key: "color", path: "x" }] } },
            { secret: { name: "sec", items: [{ key: "key", path: "x" }] } },
            { serviceAccountToken: { path: "token", audience: "me", expirationSeconds: 600 } },
          ],
        },
      },
      want: { x: "open 444", token: "token for me 600 444" },
    },
  ])("$name", async ({ volume, want }) => expect(await contentOf(volume)).toEqual(want));

  it.each<{ volume: Omit<Volume, "name">; message: string }>([
    { volume: { configMap: { name: "none" } }, message: 'configmap "none" not found' },
    { volume: { secret: { secretName: "none" } }, message: 'secret "none" not found' },
    {
      volume: { configMap: { name: "cm", items: [{ key: "none", path: "p" }] } },
      message: "configmap references non-existent config key: none",
    },
    {
      volume: { secret: { secretName: "sec", items: [{ key: "none", path: "p" }] } },
      message: "references non-existent secret key: none",
    },
    {
      volume: {
        projected: {
          sources: [{ configMap: { name: "a" } }, { configMap: { name: "cm" } }, { secret: { name: "b" } }],
        },
      },
      message: '[configmap "a" not found, secret "b" not found]',
    },
  ])("fails: $message", async ({ volume, message }) => {
    await expect(contentOf(volume)).rejects.toThrow(new Error(message));
  });
});

it.each(["../x", "a/../../x", "/etc/passwd", "..data", "..2026/x", ""])("no path %j", (path) => {
  expect(() => checkedPath(path)).toThrow();
});

describe("tokenPermissions", () => {
  it.each([
    { name: "nobody special", pod: aPod(), want: { mode: 0o644 } },
    { name: "one user", pod: aPod({ securityContext: { runAsUser: 7 } }), want: { mode: 0o600, uid: 7 } },
    {
      name: "two users",
      pod: aPod({
        containers: [
          aContainer("a", { securityContext: { runAsUser: 7 } }),
          aContainer("b", { securityContext: { runAsUser: 8 } }),
        ],
      }),
      want: { mode: 0o644 },
    },
    { name: "a group", pod: aPod({ securityContext: { fsGroup: 5, runAsUser: 7 } }), want: { mode: 0o600 } },
  ])("$name", ({ pod, want }) => expect(tokenPermissions(pod, 0o644)).toEqual(want));
});
