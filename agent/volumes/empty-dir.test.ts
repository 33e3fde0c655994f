import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Volume } from "../api/index.ts";
import { decideMedium } from "./empty-dir.ts";

const GI = 2 ** 30;
const NODE_BYTES = 8 * GI;
const limited = (memory?: string) => aContainer("main", { resources: memory ? { limits: { memory } } : {} });
const withPages = (...sizes: string[]) =>
  aContainer("main", {
    resources: { requests: Object.fromEntries(sizes.map((size) => [`hugepages-${size}`, "1Gi"])) },
  });

describe("decideMedium", () => {
  it.each<{ name: string; source: Volume["emptyDir"]; pod?: ReturnType<typeof aPod>; want: object }>([
    { name: "the disk", source: {}, want: { kind: "disk" } },
    { name: "the disk, whatever the limit", source: { sizeLimit: "1Gi" }, want: { kind: "disk" } },
    { name: "as much memory as pods may have", source: { medium: "Memory" }, want: { sizeBytes: NODE_BYTES } },
    { name: "the volume's own limit", source: { medium: "Memory", sizeLimit: "1Gi" }, want: { sizeBytes: GI } },
    { name: "no more than there is", source: { medium: "Memory", sizeLimit: "9Gi" }, want: { sizeBytes: NODE_BYTES } },
    { name: "no limit at all by 0", source: { medium: "Memory", sizeLimit: "0" }, want: { sizeBytes: NODE_BYTES } },
    {
      name: "the pod's limit",
      source: { medium: "Memory", sizeLimit: "3Gi" },
      pod: aPod({ containers: [limited("2Gi")] }),
      want: { sizeBytes: 2 * GI },
    },
    {
      name: "no limit of a pod in which one container has none",
      source: { medium: "Memory" },
      pod: aPod({ containers: [limited("2Gi"), limited()] }),
      want: { sizeBytes: NODE_BYTES },
    },
    {
      name: "the only huge pages that the pod asks for",
      source: { medium: "HugePages" },
      pod: aPod({ containers: [withPages("2Mi")] }),
      want: { kind: "hugepages", pageSize: "2Mi" },
    },
    {
      name: "huge pages of one size among others, also an init container's",
      source: { medium: "HugePages-1Gi" },
      pod: aPod({ containers: [withPages("2Mi")], initContainers: [withPages("1Gi")] }),
      want: { kind: "hugepages", pageSize: "1Gi" },
    },
  ])("$name", ({ source, pod = aPod(), want }) => {
    expect(decideMedium(source!, pod, NODE_BYTES)).toMatchObject(want);
  });

  it.each([
    {
      medium: "HugePages",
      containers: [withPages("2Mi", "1Gi")],
      message: "medium: HugePages can't be used if container requests multiple huge page sizes",
    },
    {
      medium: "HugePages-2Mi",
      containers: [withPages("1Gi")],
      message: "medium HugePages-2Mi: hugePages storage requested, but there is no resource request for huge pages",
    },
    { medium: "Tape", containers: [limited()], message: 'unknown storage medium "Tape"' },
  ])("refuses: $message", ({ medium, containers, message }) => {
    expect(() => decideMedium({ medium }, aPod({ containers }), NODE_BYTES)).toThrow(message);
  });
});
