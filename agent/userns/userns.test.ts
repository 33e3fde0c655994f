import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import { idSpace, parseSubordinateIds } from "./id-space.ts";
import { parseMappings, renderMappings } from "./mappings.ts";
import { allocateRange, checkRange } from "./ranges.ts";
import { whyUnsupported } from "./unsupported.ts";
import { createUserNamespaces } from "./user-namespaces.ts";

const UNIT = 65_536;
const SPACE = idSpace({ idsPerPod: UNIT, maxPods: 110 });

describe("the space of ids", () => {
  it("is all of the machine's but the first range, which is its own", () => {
    expect(SPACE).toEqual({ first: UNIT, total: 2 ** 32 - UNIT, length: UNIT });
  });

  const given = (first: number, total: number) => ({ first, total });
  it.each([
    { ids: UNIT + 1, given: undefined, want: "kubelet user namespace length 65537 is not a multiple of 65536" },
    { ids: UNIT, given: given(1, UNIT), want: "kubelet user assigned ID 1 is not a multiple of 65536" },
    {
      ids: UNIT,
      given: given(0, 200 * UNIT),
      want: "kubelet user assigned ID 0 must be greater or equal to 65536",
    },
    {
      ids: UNIT,
      given: given(UNIT, 5),
      want: "kubelet user assigned IDs length 5 is not a multiple of 65536",
    },
    {
      ids: UNIT,
      given: given(UNIT, 109 * UNIT),
      want: "kubelet user assigned IDs are not enough to support 110 pods",
    },
  ])("$want", ({ ids, given, want }) => {
    expect(() => idSpace({ idsPerPod: ids, maxPods: 110 }, given)).toThrow(want);
  });

  it("is what is set apart for the kubelet's user", () => {
    expect(parseSubordinateIds("0: kubelet 65536 7208960\n")).toEqual({ first: UNIT, total: 7_208_960 });
    const two = "0: kubelet 1 2\n1: kubelet 3 4\n";
    expect(() => parseSubordinateIds(two)).toThrow(
      `error parsing line ${JSON.stringify(two)}: it must contain only one line`,
    );
    for (const odd of ["", "0: kubelet 65536", "0: kubelet -1 5", "0: kubelet 99999999999 5"]) {
      expect(() => parseSubordinateIds(odd)).toThrow(`invalid line ${JSON.stringify(odd)}`);
    }
  });
});

describe("a range for a pod", () => {
  const small = { first: UNIT, total: 3 * UNIT, length: UNIT };
  it.each([
    { name: "the first one", taken: [], start: 0, want: UNIT },
    { name: "from where it is told to look", taken: [], start: 0.99, want: 3 * UNIT },
    { name: "the next one that is free", taken: [1, 2], start: 0, want: 3 * UNIT },
    { name: "round the end", taken: [3], start: 0.99, want: UNIT },
    { name: "none", taken: [1, 2, 3], start: 0.5, want: "could not find an empty slot to allocate a user namespace" },
  ])("$name", ({ taken, start, want }) => {
    const ranges = new Map(taken.map((n) => [`other-${n}`, n * UNIT]));
    const allocate = () => allocateRange(ranges, "a", small, start);
    if (typeof want === "string") expect(allocate).toThrow(want);
    else expect(allocate()).toBe(want);
  });

  it("is the one that it has", () => {
    expect(allocateRange(new Map([["a", 2 * UNIT]]), "a", small, 0)).toBe(2 * UNIT);
  });

  it.each([
    { name: "a free one", from: 2 * UNIT, want: undefined },
    { name: "its own", uid: "b", from: UNIT, want: undefined },
    { name: "another size", from: UNIT, length: 5, want: "wrong user namespace length 5" },
    { name: "between two", from: UNIT + 1, want: "wrong user namespace offset specified 65537" },
    { name: "the machine's", from: 0, want: "id 0 is out of range" },
    { name: "past the end", from: 4 * UNIT, want: "id 262144 is out of range" },
    { name: "another's", from: UNIT, want: 'range picked for pod "a" already taken' },
    { name: "not its own", uid: "b", from: 2 * UNIT, want: 'different user namespace range already used by pod "b"' },
  ])("that was written down: $name", ({ uid = "a", from, length = UNIT, want }) => {
    const check = () => checkRange(new Map([["b", UNIT]]), uid, { from, length }, small);
    if (want === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(want);
  });
});

describe("the file of a pod's mappings", () => {
  const one = { hostId: UNIT, containerId: 0, length: UNIT };
  it("is the kubelet's", () => {
    expect(JSON.parse(renderMappings(UNIT, UNIT))).toEqual({ uidMappings: [one], gidMappings: [one] });
    expect(parseMappings(renderMappings(UNIT, UNIT))).toEqual({ from: UNIT, length: UNIT });
  });

  it.each([
    { text: "nonsense", want: "invalid user namespace mappings file: " },
    { text: '{"uidMappings":[{"hostId":-1}],"gidMappings":[]}', want: "invalid user namespace mappings file: " },
    { text: JSON.stringify({ uidMappings: [], gidMappings: [] }), want: "no more than one mapping allowed." },
    {
      text: JSON.stringify({ uidMappings: [one], gidMappings: [] }),
      want: "GID and UID mappings should be identical.",
    },
    {
      text: JSON.stringify({ uidMappings: [one], gidMappings: [{ ...one, hostId: 0 }] }),
      want: "GID and UID mapping should be identical",
    },
    {
      text: JSON.stringify({ uidMappings: [{ ...one, containerId: 1 }], gidMappings: [{ ...one, containerId: 1 }] }),
      want: "UID 0 must be mapped",
    },
  ])("is refused: $want", ({ text, want }) => expect(() => parseMappings(text)).toThrow(want));
});

describe("a runtime", () => {
  const able = { recursiveReadOnlyMounts: true, userNamespaces: true };
  const handlers = [
    { name: "", features: able },
    { name: "runc", features: able },
    { name: "old", features: { ...able, userNamespaces: false } },
    { name: "silent", features: null },
  ];
  const refusal = (who: string) => `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`;
  it.each([
    { handler: "", want: undefined },
    { handler: "runc", want: undefined },
    { handler: "old", want: refusal('RuntimeClass handler "old"') },
    { handler: "silent", want: refusal('RuntimeClass handler "silent"') },
    { handler: "x", want: `${refusal('RuntimeClass handler "x"')}: the handler "x" is not known` },
    { handler: "", of: [], want: refusal("runtime") },
    { handler: "x", of: [], want: refusal('RuntimeClass handler "x"') },
    { handler: "", of: [{ name: "", features: null }], want: refusal("runtime") },
  ])("with handler $handler: $want", ({ handler, of = handlers, want }) => {
    expect(whyUnsupported(of, handler)).toBe(want);
  });
});

describe("user namespaces", () => {
  const root = mkdtempSync(join(tmpdir(), "hearth-userns-"));
  afterAll(() => rmSync(root, { recursive: true }));
  let made = 0;
  const podsDirectory = () => {
    const directory = join(root, String(made++));
    mkdirSync(directory);
    return directory;
  };
  const supported = async () => undefined;
  const aPodOf = (uid: string, hostUsers?: boolean) => {
    const pod = aPod({ ...(hostUsers !== undefined && { hostUsers }) });
    return { ...pod, metadata: { ...pod.metadata, uid } };
  };
  const mapped = (first: number) => {
    const ids = [{ hostId: first, containerId: 0, length: UNIT }];
    return { mode: "POD", uids: ids, gids: ids };
  };

  it("are the machine's unless a pod asks otherwise", async () => {
    const userns = await createUserNamespaces({ podsDirectory: podsDirectory(), space: SPACE });
    for (const hostUsers of [undefined, true]) {
      expect(await userns.of(aPodOf("a", hostUsers), supported)).toEqual({ mode: "NODE" });
    }
  });

  it("stay a pod's own over a restart of the agent, until it is gone", async () => {
    const directory = podsDirectory();
    const options = { podsDirectory: directory, space: SPACE, random: () => 0 };
    const first = await createUserNamespaces(options);
    const both = await Promise.all(["a", "b"].map((uid) => first.of(aPodOf(uid, false), supported)));
    expect(both).toEqual([mapped(UNIT), mapped(2 * UNIT)]);
    expect(await first.of(aPodOf("a", false), supported)).toEqual(mapped(UNIT));

    const second = await createUserNamespaces(options);
    const neverAsked = () => Promise.reject(new Error("asked"));
    expect(await second.of(aPodOf("b", false), neverAsked)).toEqual(mapped(2 * UNIT));
    expect(await second.of(aPodOf("c", false), supported)).toEqual(mapped(3 * UNIT));
    rmSync(join(directory, "a"), { recursive: true });
    second.release("a");
    expect(await second.of(aPodOf("d", false), supported)).toEqual(mapped(UNIT));
    expect(readFileSync(join(directory, "d/userns"), "utf8")).toBe(renderMappings(UNIT, UNIT));
  });

  it("are refused where the runtime has none, and nothing is kept", async () => {
    const userns = await createUserNamespaces({ podsDirectory: podsDirectory(), space: SPACE, random: () => 0 });
    await expect(userns.of(aPodOf("a", false), async () => "it cannot")).rejects.toThrow("it cannot");
    expect(await userns.of(aPodOf("b", false), supported)).toEqual(mapped(UNIT));
  });

  it("do not begin with a range that two pods have", async () => {
    const directory = podsDirectory();
    for (const uid of ["a", "b"]) {
      mkdirSync(join(directory, uid));
      writeFileSync(join(directory, uid, "userns"), renderMappings(UNIT, UNIT));
    }
    await expect(createUserNamespaces({ podsDirectory: directory, space: SPACE })).rejects.toThrow(
      /^record pod mappings for existing pod "[ab]": range picked for pod "[ab]" already taken \(when nothing of the pod runs, remove .*\/[ab]\/userns\)$/,
    );
  });
});
