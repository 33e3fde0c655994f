import { describe, expect, it } from "vitest";
import type { PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { claimKeys, podUsesClaim } from "./decide.ts";

const OWNER = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u1", controller: true };
const claim = (name: string, ownerReferences: PersistentVolumeClaim["metadata"]["ownerReferences"] = []) =>
  ({ metadata: { name, namespace: "default", ownerReferences } }) as PersistentVolumeClaim;

const pod = (volumes: Pod["spec"]["volumes"], nodeName: string | undefined = "n1", metadata = {}): Pod => ({
  metadata: { name: "p", namespace: "default", uid: "u1", ...metadata },
  spec: { containers: [], nodeName, volumes },
});

const BY_NAME = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
const EPHEMERAL = [{ name: "v", ephemeral: {} }];
const SHUT_DOWN = { deletionTimestamp: "2026-10-21T08:00:00Z", deletionGracePeriodSeconds: 0 };

describe("podUsesClaim", () => {
  it.each<{ name: string; pod: Pod; claim: PersistentVolumeClaim; want: boolean }>([
    { name: "a pod on a node that names it", pod: pod(BY_NAME), claim: claim("data"), want: true },
    { name: "a pod that names another", pod: pod(BY_NAME), claim: claim("other"), want: false },
    { name: "a pod without a node", pod: pod(BY_NAME, ""), claim: claim("data"), want: false },
    {
      name: "a pod of another namespace",
      pod: pod(BY_NAME, "n1", { namespace: "b" }),
      claim: claim("data"),
      want: false,
    },
    { name: "a pod that was shut down", pod: pod(BY_NAME, "n1", SHUT_DOWN), claim: claim("data"), want: true },
    { name: "the pod of its ephemeral volume", pod: pod(EPHEMERAL), claim: claim("p-v", [OWNER]), want: true },
    { name: "a claim that only looks ephemeral", pod: pod(EPHEMERAL), claim: claim("p-v"), want: false },
    {
      name: "the shut down pod of its ephemeral volume",
      pod: pod(EPHEMERAL, "n1", SHUT_DOWN),
      claim: claim("p-v", [OWNER]),
      want: false,
    },
  ])("$name", ({ pod, claim, want }) => expect(podUsesClaim(pod, claim)).toBe(want));
});

it("claimKeys names claims and those of ephemeral volumes", () => {
  const volumes = [...BY_NAME, { name: "e", ephemeral: {} }, { name: "x", emptyDir: {} }];
  expect(claimKeys(pod(volumes))).toEqual(["default/data", "default/p-e"]);
});
