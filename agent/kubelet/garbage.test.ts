import { describe, expect, it, vi } from "vitest";
import { anInstance, aSandbox, observation } from "../../test/builders/kubelet.ts";
import type { Container, Sandbox } from "../cri/index.ts";
import { collectGarbage, findGarbage } from "./container-gc.ts";
import type { KubeletDeps } from "./deps.ts";
import { INSTANCE_ANNOTATION, POD_UID_LABEL } from "./names.ts";
import { fingerprintOf, fingerprints } from "./observe.ts";
import { createOrphanRemoval, findOrphans } from "./orphans.ts";

const sandbox = (id: string, uid: string, createdAt: number, state: Sandbox["state"], instance = "me"): Sandbox => ({
  id,
  metadata: { name: "p", uid, namespace: "default", attempt: createdAt },
  state,
  createdAt,
  labels: {},
  annotations: { [INSTANCE_ANNOTATION]: instance },
  runtimeHandler: "",
});

const container = (
  id: string,
  uid: string,
  createdAt: number,
  state: Container["state"],
  sandboxId = "s",
): Container => ({
  id,
  podSandboxId: sandboxId,
  metadata: { name: id[0]!, attempt: createdAt },
  image: null,
  imageRef: "",
  state,
  createdAt,
  labels: { [POD_UID_LABEL]: uid },
  annotations: {},
  imageId: "",
});

describe("findGarbage", () => {
  it("keeps the newest dead instance of each container and what runs (RST-07)", () => {
    const containers = [
      container("a1", "u1", 1, "CONTAINER_EXITED"),
      container("a2", "u1", 2, "CONTAINER_EXITED"),
      container("a3", "u1", 3, "CONTAINER_RUNNING"),
      container("b1", "u1", 1, "CONTAINER_EXITED"),
      container("a9", "other", 1, "CONTAINER_EXITED"),
      container("a8", "other", 2, "CONTAINER_EXITED"),
    ];
    const garbage = findGarbage({ sandboxes: [], containers }, new Set(["u1"]));
    expect(garbage.containers.map(({ id }) => id)).toEqual(["a1"]);
  });

  it("keeps nothing dead of a pod that was evicted", () => {
    const containers = [
      container("a1", "u1", 1, "CONTAINER_EXITED", "s1"),
      container("b1", "u1", 1, "CONTAINER_RUNNING", "s2"),
      container("c1", "u1", 1, "CONTAINER_CREATED", "s1"),
      container("a1", "u2", 1, "CONTAINER_EXITED", "s3"),
    ];
    const sandboxes = [
      sandbox("s1", "u1", 2, "SANDBOX_NOTREADY"),
      sandbox("s2", "u1", 1, "SANDBOX_NOTREADY"),
      sandbox("s3", "u2", 1, "SANDBOX_NOTREADY"),
    ];
    const garbage = findGarbage({ sandboxes, containers }, new Set(["u1", "u2"]), new Set(["u1"]));
    expect(garbage.containers.map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
    expect(garbage.sandboxes.map(({ id }) => id)).toEqual(["s1"]);
  });

  it("removes what was created and never started, once there is a newer one", () => {
    const containers = [
      container("a1", "u1", 1, "CONTAINER_EXITED"),
      container("a2", "u1", 2, "CONTAINER_CREATED"),
      container("a3", "u1", 3, "CONTAINER_CREATED"),
    ];
    const garbage = findGarbage({ sandboxes: [], containers }, new Set(["u1"]));
    expect(garbage.containers.map(({ id }) => id)).toEqual(["a2"]);
  });

  it("goes by the count, whatever the clock said", () => {
    const later = { ...container("a1", "u1", 1, "CONTAINER_EXITED"), createdAt: 9_000 };
    const garbage = findGarbage(
      { sandboxes: [], containers: [later, container("a2", "u1", 2, "CONTAINER_EXITED")] },
      new Set(["u1"]),
    );
    expect(garbage.containers.map(({ id }) => id)).toEqual(["a1"]);
  });

  it("removes a replaced sandbox once nothing is in it", () => {
    const sandboxes = [
      sandbox("s0", "u1", 0, "SANDBOX_NOTREADY"),
      sandbox("s1", "u1", 1, "SANDBOX_NOTREADY"),
      sandbox("s2", "u1", 2, "SANDBOX_READY"),
      sandbox("t0", "u2", 0, "SANDBOX_NOTREADY"),
    ];
    const containers = [container("a1", "u1", 1, "CONTAINER_EXITED", "s1")];
    const garbage = findGarbage({ sandboxes, containers }, new Set(["u1", "u2"]));
    expect(garbage.sandboxes.map(({ id }) => id)).toEqual(["s0"]);
  });
});

it("findOrphans takes only pods that this agent made and does not know", () => {
  const sandboxes = [
    sandbox("s1", "known", 1, "SANDBOX_READY"),
    sandbox("s2", "gone", 1, "SANDBOX_READY"),
    sandbox("s3", "gone", 0, "SANDBOX_NOTREADY"),
    sandbox("s4", "foreign", 1, "SANDBOX_READY", "another agent"),
  ];
  const containers = [
    container("a", "gone", 1, "CONTAINER_RUNNING", "s2"),
    container("b", "known", 1, "CONTAINER_RUNNING", "s1"),
  ];
  const orphans = findOrphans({ sandboxes, containers }, new Set(["known"]), "me");
  expect(orphans.map(({ uid, ...rest }) => [uid, rest.sandboxes.length, rest.containers.map(({ id }) => id)])).toEqual([
    ["gone", 2, ["a"]],
  ]);
});

it("fingerprints change with every state, and with nothing else", () => {
  const before = {
    sandboxes: [sandbox("s", "u1", 1, "SANDBOX_READY")],
    containers: [container("a", "u1", 1, "CONTAINER_RUNNING")],
  };
  const after = { ...before, containers: [container("a", "u1", 1, "CONTAINER_EXITED")] };
  expect(fingerprints(before)).toEqual(fingerprints({ ...before, containers: [...before.containers] }));
  expect(fingerprints(after).get("u1")).not.toBe(fingerprints(before).get("u1"));
});

it("a pod that was seen in full has the fingerprint of the list", () => {
  const snapshot = {
    sandboxes: [sandbox("s0", "u1", 1, "SANDBOX_READY"), sandbox("s9", "u1", 0, "SANDBOX_NOTREADY")],
    containers: [container("main-0", "u1", 0, "CONTAINER_EXITED"), container("main-1", "u1", 1, "CONTAINER_RUNNING")],
  };
  const seen = observation(
    [anInstance("main", "running", { restartCount: 1 }), anInstance("main", "exited")],
    [aSandbox(), aSandbox({ id: "s9", ready: false })],
  );
  expect(fingerprintOf(seen)).toBe(fingerprints(snapshot).get("u1"));
});

describe("what cannot be removed", () => {
  /** A runtime that never ends the container `stuck` and does not let go of `held`. */
  const aRuntime = () => {
    const removed: string[] = [];
    const remove = async (id: string) => {
      if (id.startsWith("held")) throw new Error("device is busy");
      removed.push(id);
    };
    const cri = {
      stopContainer: (id: string) => (id === "stuck" ? new Promise(() => {}) : Promise.resolve()),
      stopPodSandbox: async () => {},
      removeContainer: remove,
      removePodSandbox: remove,
    };
    const done = async () => {};
    const [node, cgroups, volumes] = [{ podLogsRoot: "/nowhere" }, { remove: done }, { tearDown: done }];
    return { deps: { cri, node, cgroups, volumes, log: () => {} } as unknown as KubeletDeps, removed };
  };

  it("holds up no other orphan, and is tried again", async () => {
    const { deps, removed } = aRuntime();
    const removal = createOrphanRemoval(deps);
    const orphan = (id: string) => ({
      uid: `of-${id}`,
      sandboxes: [sandbox(`${id}-sandbox`, `of-${id}`, 1, "SANDBOX_READY")],
      containers: [container(id, `of-${id}`, 1, "CONTAINER_RUNNING", `${id}-sandbox`)],
    });
    const all = ["stuck", "held", "a", "b"].map(orphan);
    removal.start(all);
    removal.start(all);
    await vi.waitUntil(() => removal.uids().length === 1);
    expect(removal.uids()).toEqual(["of-stuck"]);
    expect(removed.toSorted()).toEqual(["a", "a-sandbox", "b", "b-sandbox"]);
    removal.start([orphan("held")]);
    expect(removal.uids()).toEqual(["of-stuck", "of-held"]);
  });

  it("holds up no other garbage", async () => {
    const { deps, removed } = aRuntime();
    const ended = (id: string) => container(id, "u1", 1, "CONTAINER_EXITED", "s1");
    const containers = [ended("held"), ended("a1")];
    const sandboxes = [
      sandbox("held-sandbox", "u1", 2, "SANDBOX_NOTREADY"),
      sandbox("s1", "u1", 1, "SANDBOX_NOTREADY"),
    ];
    const uids = new Set(["u1"]);
    await collectGarbage(deps, { sandboxes, containers }, uids, uids);
    expect(removed).toEqual(["a1", "s1"]);
  });
});
