import { describe, expect, it } from "vitest";
import type { KubeList, KubeObject } from "../../shared/api/object.ts";
import { PODS } from "../../shared/api/refs.ts";
import { encodeStored } from "../../shared/api/stored-object.ts";
import type { ApiReader } from "../../shared/client/api-client.ts";
import type { ChangeBatch, ChangeType } from "../storage/interface.ts";
import { Informer } from "./informer.ts";

const pod = (name: string, revision: number, labels: Record<string, string> = {}): KubeObject => ({
  metadata: { name, namespace: "default", uid: name, resourceVersion: String(revision), labels, managedFields: [{}] },
});

function batch(from: number, ...changes: [ChangeType, KubeObject][]): ChangeBatch {
  const revisions = changes.map(([, object]) => Number(object.metadata.resourceVersion));
  return {
    cluster: "c",
    group: "",
    resource: "pods",
    fromRevision: from,
    toRevision: Math.max(...revisions),
    changes: changes.map(([type, object], i) => ({
      type,
      key: `default/${object.metadata.name}`,
      revision: revisions[i] ?? 0,
      value: encodeStored(object),
    })),
  };
}

/** Lists what it is told to, when it is told to. */
function reader() {
  const answers: ((list: KubeList) => void)[] = [];
  const listAll = () => new Promise<KubeList>((resolve) => answers.push(resolve));
  const answer = async (revision: number, ...items: KubeObject[]) => {
    answers.shift()?.({ metadata: { resourceVersion: String(revision) }, items });
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { api: { listAll } as unknown as ApiReader, answer, asked: () => answers.length };
}

function observed(informer: Informer): string[] {
  const seen: string[] = [];
  informer.onEvent(({ type, object }) =>
    seen.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`),
  );
  return seen;
}

async function synced(informer: Informer, revision: number, ...items: KubeObject[]): Promise<void> {
  const { api, answer } = reader();
  const done = informer.sync(api);
  await answer(revision, ...items);
  await done;
}

describe("Informer", () => {
  it("lists, then follows the feed", async () => {
    const informer = new Informer(PODS);
    const seen = observed(informer);
    expect(informer.apply(batch(1, ["ADDED", pod("a", 1)]))).toBe(false);
    await synced(informer, 3, pod("a", 1), pod("b", 3));
    expect(informer.apply(batch(4, ["MODIFIED", pod("a", 4)], ["DELETED", pod("b", 5)], ["ADDED", pod("c", 6)]))).toBe(
      true,
    );
    expect(seen).toEqual(["added a@1", "added b@3", "updated a@4", "deleted b@5", "added c@6"]);
    expect(informer.revision).toBe(6);
    expect(informer.get("default/a")?.metadata.managedFields).toBeUndefined();
  });

  it("takes no change twice", async () => {
    const informer = new Informer(PODS);
    await synced(informer, 3, pod("a", 3));
    const seen = observed(informer);
    expect(informer.apply(batch(1, ["ADDED", pod("a", 1)], ["MODIFIED", pod("a", 3)]))).toBe(true);
    expect(informer.apply(batch(2, ["MODIFIED", pod("a", 3)], ["MODIFIED", pod("a", 4)]))).toBe(true);
    expect(seen).toEqual(["added a@3", "updated a@4"]);
  });

  it("sees a gap, and tells the difference after the next list", async () => {
    const informer = new Informer(PODS);
    await synced(informer, 3, pod("a", 1), pod("b", 3));
    const seen = observed(informer);
    expect(informer.apply(batch(6, ["ADDED", pod("c", 6)]))).toBe(false);
    expect(informer.isStale).toBe(true);
    await synced(informer, 7, pod("a", 5), pod("c", 6));
    expect(seen.slice(2)).toEqual(["updated a@5", "added c@6", "deleted b@3"]);
    expect(informer.isStale).toBe(false);
  });

  it("keeps what the feed brings while it lists", async () => {
    const informer = new Informer(PODS);
    const { api, answer } = reader();
    const done = informer.sync(api);
    expect(informer.apply(batch(2, ["ADDED", pod("b", 2)]))).toBe(true);
    expect(informer.apply(batch(3, ["MODIFIED", pod("b", 3)]))).toBe(true);
    await answer(2, pod("a", 1), pod("b", 2));
    await done;
    expect(informer.get("default/b")?.metadata.resourceVersion).toBe("3");
  });

  it("lists again when the feed ran ahead of the list", async () => {
    const informer = new Informer(PODS);
    const { api, answer, asked } = reader();
    const done = informer.sync(api);
    informer.apply(batch(9, ["ADDED", pod("b", 9)]));
    await answer(2, pod("a", 1));
    expect(asked()).toBe(1);
    await answer(9, pod("a", 1), pod("b", 9));
    await done;
    expect(informer.size).toBe(2);
  });

  it("finds by index and by namespace, also after a change", async () => {
    const informer = new Informer(PODS, { indexes: { app: ({ metadata }) => [metadata.labels?.app ?? ""] } });
    await synced(informer, 2, pod("a", 1, { app: "x" }), pod("b", 2, { app: "y" }));
    informer.apply(batch(3, ["MODIFIED", pod("a", 3, { app: "y" })]));
    const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();
    expect(names(informer.byIndex("app", "x"))).toEqual([]);
    expect(names(informer.byIndex("app", "y"))).toEqual(["a", "b"]);
    expect(names(informer.list("default"))).toEqual(["a", "b"]);
    expect(informer.list("other")).toEqual([]);
  });
});
