import { describe, expect, it } from "vitest";
import type { PodTemplateSpec } from "../../../shared/api/types.ts";
import { dumpQuantity } from "./dump-quantity.ts";
import { computeHash } from "./index.ts";

const template = (labels: Record<string, string>, image: string): PodTemplateSpec => ({
  metadata: { labels },
  spec: {
    containers: [
      {
        name: "c",
        image,
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  },
});

describe("computeHash", () => {
  // Recorded from Kubernetes 1.36.
  it.each([
    { name: "revision a", of: template({ app: "web", rev: "a" }, "example.test/img:a"), want: "84745ddd98" },
    { name: "revision b", of: template({ app: "web", rev: "b" }, "example.test/img:b"), want: "5b9f6f6d96" },
  ])("is upstream's for $name", ({ of, want }) => expect(computeHash(of, undefined)).toBe(want));
});

describe("computeHash, beside", () => {
  const a = template({ app: "web" }, "example.test/img:a");

  it("gives another value after a collision", () => {
    expect(computeHash(a, 0)).not.toBe(computeHash(a, undefined));
    expect(computeHash(a, 1)).not.toBe(computeHash(a, 0));
  });

  it("sees no difference between an empty list and none", () =>
    expect(computeHash({ ...a, spec: { ...a.spec!, volumes: [] } }, undefined)).toBe(computeHash(a, undefined)));

  it("sees every part of a container", () => {
    const more = {
      ports: [{ containerPort: 80 }],
      env: [{ name: "A", value: "1" }],
      livenessProbe: { httpGet: { port: 80 } },
    };
    const hashes = Object.entries(more).map(([field, value]) => {
      const containers = a.spec!.containers.map((container) => ({ ...container, [field]: value }));
      return computeHash({ ...a, spec: { ...a.spec!, containers } }, undefined);
    });
    expect(new Set([...hashes, computeHash(a, undefined)]).size).toBe(4);
  });
});

describe("dumpQuantity", () => {
  it.each([
    ["100m", "value:(int64)100 scale:(resource.Scale)-3", "100m", "DecimalSI"],
    ["1", "value:(int64)1 scale:(resource.Scale)0", "1", "DecimalSI"],
    ["0", "value:(int64)0 scale:(resource.Scale)0", "0", "DecimalSI"],
    ["170Mi", "value:(int64)178257920 scale:(resource.Scale)0", "170Mi", "BinarySI"],
    ["64Mi", "value:(int64)67108864 scale:(resource.Scale)0", "", "BinarySI"],
    ["2k", "value:(int64)2 scale:(resource.Scale)3", "2k", "DecimalSI"],
  ])("holds %s as Go does", (text, amount, kept, format) =>
    expect(dumpQuantity(text)).toBe(
      `{i:(resource.int64Amount){${amount}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${kept} Format:(resource.Format)${format}}`,
    ),
  );
});
