import { describe, expect, it } from "vitest";
import type { Container, Image } from "../cri/index.ts";
import { decideGoal, isTooOld, printSize, recordImages, removalOrder } from "./decide.ts";
import { createImageGc, isGcDisabled } from "./index.ts";

const MINUTE_MS = 60_000;
const POLICY = { highPercent: 85, lowPercent: 80, minAgeMs: 2 * MINUTE_MS, maxAgeMs: 0 };

const image = (id: string, size = 10, fields: Partial<Image> = {}): Image => ({
  id,
  repoTags: [`${id}:1`],
  repoDigests: [],
  size,
  uid: null,
  username: "",
  pinned: false,
  ...fields,
});

it("records when images were first seen and last used, and forgets what is gone", () => {
  const first = recordImages(new Map(), [image("a"), image("b"), image("c")], { inUse: new Set(["a"]), nowMs: 1 });
  const second = recordImages(first, [image("a"), image("b", 20)], { inUse: new Set(["b"]), nowMs: 2 });
  expect([...second]).toEqual([
    ["a", { firstSeenMs: 1, lastUsedMs: 1, bytes: 10, isPinned: false }],
    ["b", { firstSeenMs: 1, lastUsedMs: 2, bytes: 20, isPinned: false }],
  ]);
});

it("removes the longest unused first, and neither what is pinned nor what is in use", () => {
  const record = { firstSeenMs: 5, lastUsedMs: 0, bytes: 1, isPinned: false };
  const records = new Map([
    ["yesterday", { ...record, lastUsedMs: 9 }],
    ["pinned", { ...record, isPinned: true }],
    ["used", { ...record, lastUsedMs: 7 }],
    ["never, new", record],
    ["never, old", { ...record, firstSeenMs: 4 }],
    ["before", { ...record, lastUsedMs: 8 }],
  ]);
  const ids = removalOrder(records, new Set(["used"])).map(({ id }) => id);
  expect(ids).toEqual(["never, old", "never, new", "before", "yesterday"]);
});

describe("decideGoal", () => {
  it.each([
    { name: "below the upper threshold nothing", availableBytes: 160, want: undefined },
    { name: "at it, down to the lower one", availableBytes: 150, want: { usedPercent: 85, bytesToFree: 50 } },
    { name: "parts of a percent count as used", availableBytes: 159, want: { usedPercent: 85, bytesToFree: 41 } },
    { name: "a full disk", availableBytes: 0, want: { usedPercent: 100, bytesToFree: 200 } },
    { name: "a disk that reports more than it has", availableBytes: 2000, want: undefined },
  ])("$name", ({ availableBytes, want }) => {
    expect(decideGoal({ capacityBytes: 1000, availableBytes }, POLICY)).toEqual(want);
  });
});

it.each([
  { name: "is kept without a limit", maxAgeMs: 0, lastUsedMs: 0, nowMs: 1000, want: false },
  { name: "goes past the limit", maxAgeMs: 10, lastUsedMs: 0, nowMs: 111, want: true },
  { name: "stays at the limit", maxAgeMs: 10, lastUsedMs: 101, nowMs: 111, want: false },
  { name: "stays until we have looked on that long", maxAgeMs: 10, lastUsedMs: 0, nowMs: 110, want: false },
])("an unused image $name", ({ maxAgeMs, lastUsedMs, nowMs, want }) => {
  const unused = { id: "a", firstSeenMs: 0, lastUsedMs, bytes: 1, isPinned: false };
  expect(isTooOld(unused, { ...POLICY, maxAgeMs }, { nowMs, startedMs: 100 })).toBe(want);
});

it.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [1024 ** 2, "1.0 MiB"],
  [270_000_000_000, "251.5 GiB"],
  [2 ** 50, "1024.0 TiB"],
])("%d bytes are %s", (bytes, want) => expect(printSize(bytes)).toBe(want));

it("is off with an upper threshold of 100 and no age", () => {
  expect(isGcDisabled({ ...POLICY, highPercent: 100 })).toBe(true);
  expect(isGcDisabled({ ...POLICY, highPercent: 100, maxAgeMs: 1 })).toBe(false);
  expect(isGcDisabled(POLICY)).toBe(false);
});

describe("the collector", () => {
  function setUp(fields: { availableBytes?: number; images?: Image[]; broken?: string[] } = {}) {
    const { broken = [] } = fields;
    const state = {
      images: fields.images ?? [image("a", 30), image("b", 40), image("used", 50), image("pause", 1)],
      nowMs: 0,
      availableBytes: fields.availableBytes ?? 100,
      capacityBytes: 1000,
      warnings: [] as string[],
      remaining: [] as string[],
    };
    const gc = createImageGc({
      cri: {
        listImages: async () => state.images,
        listContainers: async () => [{ imageId: "used", imageRef: "used" } as Container],
        async removeImage(id) {
          if (broken.includes(id)) throw new Error(`${id} is busy`);
          state.images = state.images.filter((other) => other.id !== id);
        },
      },
      policy: POLICY,
      disk: async () => state,
      spared: async () => ["pause:1"],
      nowMs: () => state.nowMs,
      onWarning: (reason, message) => state.warnings.push(`${reason} ${message}`),
      onRemaining: async (ids) => {
        state.remaining = ids;
      },
    });
    return { gc, state, ids: () => state.images.map(({ id }) => id) };
  }

  it("leaves new images alone, and says that there is too little room", async () => {
    const { gc, state, ids } = setUp();
    await expect(gc.collect()).rejects.toThrow("(90% of 1000 B used)");
    expect(ids()).toEqual(["a", "b", "used", "pause"]);
    expect(state.warnings).toEqual([
      "FreeDiskSpaceFailed Insufficient free disk space on the node's image filesystem (90% of 1000 B used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
    ]);
  });

  it("removes no more than is needed", async () => {
    const { gc, state, ids } = setUp({ availableBytes: 150, images: [image("a", 50), image("b", 50), image("used")] });
    await gc.look();
    state.nowMs = 2 * MINUTE_MS;
    await gc.collect();
    expect(ids()).toEqual(["b", "used"]);
    expect(state.remaining).toEqual(["b", "used"]);
    expect(state.warnings).toEqual([]);
  });

  it("does nothing while there is room", async () => {
    const { gc, state, ids } = setUp({ availableBytes: 500 });
    await gc.look();
    state.nowMs = 10 * MINUTE_MS;
    await gc.collect();
    expect(ids()).toHaveLength(4);
  });

  it("removes all that is unused under pressure, and names what it could not", async () => {
    const { gc, state, ids } = setUp({ broken: ["a"] });
    await gc.look();
    state.nowMs = 2 * MINUTE_MS;
    await expect(gc.removeUnused()).rejects.toThrow(
      "wanted to free all unused images, but freed 40 bytes space with errors in image deletion: a is busy",
    );
    expect(ids()).toEqual(["a", "used", "pause"]);
  });

  it("cannot work without knowing the disk", async () => {
    const { gc, state } = setUp();
    state.capacityBytes = 0;
    await expect(gc.collect()).rejects.toThrow("invalid capacity 0");
    expect(state.warnings).toEqual(["InvalidDiskCapacity invalid capacity 0 on image filesystem"]);
  });
});
