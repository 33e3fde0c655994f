import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { type Claim, decideClaim } from "./claim.ts";

const owner = (isDeleting = false): KubeObject => ({
  metadata: { name: "rs", uid: "rs", ...(isDeleting ? { deletionTimestamp: "2026-10-21T08:00:00Z" } : {}) },
});

const object = (app: string, controller?: string, isDeleting = false): KubeObject => ({
  metadata: {
    name: "p",
    labels: { app },
    ...(controller
      ? {
          ownerReferences: [
            { apiVersion: "apps/v1", kind: "ReplicaSet", name: controller, uid: controller, controller: true },
          ],
        }
      : {}),
    ...(isDeleting ? { deletionTimestamp: "2026-10-21T08:00:00Z" } : {}),
  },
});

describe("decideClaim", () => {
  it.each<{ name: string; owner?: KubeObject; object: KubeObject; isKin?: boolean; want: Claim }>([
    { name: "what it owns and selects is its own", object: object("web", "rs"), want: "mine" },
    { name: "what it owns and no longer selects is let go", object: object("other", "rs"), want: "release" },
    {
      name: "nothing is let go by one that is being deleted",
      owner: owner(true),
      object: object("other", "rs"),
      want: "ignore",
    },
    { name: "another's is left alone", object: object("web", "rs2"), want: "ignore" },
    { name: "an orphan that it selects is adopted", object: object("web"), want: "adopt" },
    { name: "an orphan that it does not select is left alone", object: object("other"), want: "ignore" },
    { name: "an orphan that is being deleted is left alone", object: object("web", undefined, true), want: "ignore" },
    { name: "an orphan that is no kin is left alone", object: object("web"), isKin: false, want: "ignore" },
    { name: "what it owns and is no kin is let go", object: object("web", "rs"), isKin: false, want: "release" },
    { name: "one that is being deleted adopts nothing", owner: owner(true), object: object("web"), want: "ignore" },
  ])("$name", ({ owner: by = owner(), object, isKin, want }) =>
    expect(decideClaim(by, { matchLabels: { app: "web" } }, object, isKin)).toBe(want),
  );
});
