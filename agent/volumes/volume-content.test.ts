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
  const pod = aPod({}, { labels: { b: "2\x07\u00e9", a: 'quo"te' } });
  const content = await readContent(asProjection({ name: "v", ...volume })!, {
    pod,
    sources: SOURCES,
    addresses: { hostIps: [], podIps: [] },
    allocatable: { cpu: "2", memory: "1Ki" },
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
      want: { labels: 'a="quo\\"te"\nb="2\\a\u00e9" 644' },
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
    {
      volume: { projected: { sources: [{ clusterTrustBundle: { name: "b", path: "ca.pem" } }] } },
      message: "ClusterTrustBundle projection is not supported in static kubelet mode",
    },
    {
      volume: { projected: { sources: [{ podCertificate: { signerName: "s.example/a", keyType: "ED25519" } }] } },
      message: "unimplemented",
    },
  ])("fails: $message", async ({ volume, message }) => {
    await expect(contentOf(volume)).rejects.toThrow(new Error(message));
  });
});

describe("checkedPath", () => {
  it.each([
    ["../x", "must not contain '..': ../x"],
    ["a/../../x", "must not contain '..': a/../../x"],
    ["/etc/passwd", "must be relative path: /etc/passwd"],
    ["..data", "must not start with '..': ..data"],
    ["..2026/x", "must not start with '..': ..2026/x"],
    ["", 'must not be empty: ""'],
    [`a/${"x".repeat(256)}`, "filenames must be less than or equal to 255 characters"],
    ["x/".repeat(2049), "must be less than or equal to 4096 characters"],
  ])("no path %j", (path, why) => expect(() => checkedPath(path)).toThrow(`invalid path: ${why}`));

  it.each([
    ["a//b/./c", "a/b/c"],
    ["a/", "a"],
    ["a..b", "a..b"],
  ])("%j is %j", (path, want) => expect(checkedPath(path)).toBe(want));
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
    { name: "a group", pod: aPod({ securityContext: { fsGroup: 5, runAsUser: 7 } }), want: { mode: 0o600, uid: 7 } },
    { name: "a group and two users", pod: aPod({ securityContext: { fsGroup: 5 } }), want: { mode: 0o600 } },
    {
      name: "a debugger of another user",
      pod: aPod({
        securityContext: { runAsUser: 7 },
        ephemeralContainers: [{ name: "d", image: "i", securityContext: { runAsUser: 0 } }],
      }),
      want: { mode: 0o644 },
    },
  ])("$name", ({ pod, want }) => expect(tokenPermissions(pod, 0o644)).toEqual(want));
});
