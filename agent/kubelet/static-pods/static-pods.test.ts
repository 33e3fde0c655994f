import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/builders/fake-clock.ts";
import type { Pod } from "../../api/index.ts";
import { followManifests } from "./directory.ts";
import { parseManifest } from "./manifest.ts";
import { decideMirrorStep } from "./mirror-pods.ts";

const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { a: b } }
spec:
  containers:
    - { name: main, image: nginx, resources: { limits: { cpu: 100m } } }
`;
const parse = (text: string, file = "/m/web.yaml") => parseManifest(text, { file, nodeName: "Node-1", nowMs: 1_234 });
const withSpec = (spec: string) => MANIFEST.replace("spec:", `spec:\n  ${spec}`);

describe("parseManifest (STP-01, STP-03)", () => {
  it("makes a pod of this node", () => {
    const pod = parse(MANIFEST);
    expect(pod.metadata).toEqual({
      name: "web-node-1",
      namespace: "default",
      labels: { a: "b" },
      uid: expect.stringMatching(/^[0-9a-f]{32}$/),
      annotations: {
        "kubernetes.io/config.hash": pod.metadata.uid,
        "kubernetes.io/config.seen": "1970-01-01T00:00:01.234Z",
        "kubernetes.io/config.source": "file",
      },
    });
    expect(pod.spec).toMatchObject({
      nodeName: "Node-1",
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      terminationGracePeriodSeconds: 30,
      enableServiceLinks: true,
      tolerations: [{ operator: "Exists", effect: "NoExecute" }],
      containers: [
        {
          imagePullPolicy: "Always",
          terminationMessagePath: "/dev/termination-log",
          resources: { requests: { cpu: "100m" } },
        },
      ],
    });
  });

  it("has another uid for another content, another place, and not for another time", () => {
    const { uid } = parse(MANIFEST).metadata;
    expect(parseManifest(MANIFEST, { file: "/m/web.yaml", nodeName: "Node-1", nowMs: 9 }).metadata.uid).toBe(uid);
    expect(parse(MANIFEST, "/m/web.yaml.bak").metadata.uid).not.toBe(uid);
    expect(parse(MANIFEST.replace("nginx", "nginx:1")).metadata.uid).not.toBe(uid);
  });

  it("reads JSON", () =>
    expect(
      parse(
        JSON.stringify({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "j" },
          spec: { containers: [{ name: "c", image: "i:1" }] },
        }),
      ).metadata.name,
    ).toBe("j-node-1"));

  it.each([
    { text: "kind: Pod", want: "invalid pod: it is undefined, Kind=Pod" },
    { text: MANIFEST.replace("kind: Pod", "kind: Job"), want: "invalid pod: it is v1, Kind=Job" },
    { text: MANIFEST.replace("name: web, ", ""), want: "invalid pod: name is needed for the pod" },
    { text: MANIFEST.replace("name: web", "name: a/b"), want: 'invalid pod: "a/b-node-1" is not a name' },
    { text: "a: [", want: "Flow sequence" },
    { text: MANIFEST.replace("cpu: 100m", "cpu: fast"), want: "quantities must match the regular expression" },
    {
      text: withSpec("volumes: [{ name: v, emptyDir: { sizeLimit: large } }]"),
      want: "quantities must match the regular expression",
    },
    { text: withSpec("serviceAccountName: x"), want: "static pods may not reference serviceaccounts" },
    { text: withSpec("imagePullSecrets: [{ name: x }]"), want: "static pods may not reference secrets" },
    {
      text: withSpec("volumes: [{ name: v, configMap: { name: c } }]"),
      want: "static pods may not reference configmaps (via configmap volumes)",
    },
    {
      text: withSpec("volumes: [{ name: v, secret: { secretName: c } }]"),
      want: "static pods may not reference secrets (via secret volumes)",
    },
    {
      text: withSpec("volumes: [{ name: v, persistentVolumeClaim: { claimName: c } }]"),
      want: "static pods may not reference persistentvolumeclaims",
    },
    {
      text: withSpec("volumes: [{ name: v, projected: { sources: [{ serviceAccountToken: { path: t } }] } }]"),
      want: "static pods may not reference serviceaccounts (via projected volumes)",
    },
    {
      text: MANIFEST.replace("image: nginx,", "image: nginx, envFrom: [{ configMapRef: { name: c } }],"),
      want: "static pods may not reference configmaps",
    },
  ])("refuses: $want", ({ text, want }) => expect(() => parse(text)).toThrow(want));
});

describe("decideMirrorStep (STP-02, STP-04)", () => {
  const pod = parse(MANIFEST);
  const mirror = (fields: Partial<Pod["metadata"]> = {}): Pod => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      uid: "m1",
      annotations: { ...pod.metadata.annotations, "kubernetes.io/config.mirror": pod.metadata.uid },
      ...fields,
    },
  });
  it.each([
    { name: "none of either", pod: undefined, mirror: undefined, want: "none" },
    { name: "missing", pod, mirror: undefined, want: "create" },
    { name: "as it should be", pod, mirror: mirror(), want: "none" },
    { name: "somebody deletes it", pod, mirror: mirror({ deletionTimestamp: "2026-01-01T00:00:00Z" }), want: "delete" },
    {
      name: "of an earlier file",
      pod,
      mirror: mirror({ annotations: { "kubernetes.io/config.mirror": "old" } }),
      want: "delete",
    },
    { name: "the file is gone", pod: undefined, mirror: mirror(), want: "delete" },
  ])("$name: $want", ({ pod, mirror, want }) => expect(decideMirrorStep(pod, mirror).kind).toBe(want));
});

describe("followManifests", () => {
  let directory: string;
  const stop = new AbortController();
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "manifests-"));
  });
  afterEach(() => {
    stop.abort();
    rmSync(directory, { recursive: true });
  });

  it("reads every file but hidden ones, and keeps a pod whose file is half written (STP-05)", async () => {
    const clock = new FakeClock();
    const seen: string[][] = [];
    const complaints: string[] = [];
    writeFileSync(join(directory, "b.yaml"), MANIFEST);
    writeFileSync(join(directory, "b.yaml.bak"), MANIFEST.replace("name: web", "name: old"));
    writeFileSync(join(directory, ".hidden.yaml"), MANIFEST);
    mkdirSync(join(directory, "folder"));
    await followManifests({
      directory,
      nodeName: "n",
      clock,
      log: (_level, message) => complaints.push(message),
      signal: stop.signal,
      onPods: (pods) => seen.push(pods.map(({ metadata }) => metadata.name)),
    });
    expect(seen).toEqual([["web-n", "old-n"]]);
    writeFileSync(join(directory, "b.yaml"), MANIFEST.slice(0, 40));
    rmSync(join(directory, "b.yaml.bak"));
    while (seen.length < 2) {
      await clock.advance(20_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen.at(-1)).toEqual(["web-n"]);
    expect(complaints).toEqual(["cannot read a manifest"]);
  });
});
