import type { FieldCase } from "./run.ts";

/** Maps and structs under server-side apply, granular and atomic: who owns which member, and what becomes of it. */
export const MAP_CASES: FieldCase[] = [
  {
    name: "three managers with a key each",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { y: "2" } },
      {
        by: "c",
        apply: { z: "3" },
        after: { value: { x: "1", y: "2", z: "3" }, owners: { a: [".x"], b: [".y"], c: [".z"] } },
      },
    ],
  },
  {
    name: "a key that two gave the same value belongs to both",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "b",
        apply: { y: "2", z: "3" },
        after: { value: { x: "1", y: "2", z: "3" }, owners: { a: [".x", ".y"], b: [".y", ".z"] } },
      },
    ],
  },
  {
    name: "conflicts with one manager are listed under it",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2", z: "3" } },
      {
        by: "b",
        apply: { x: "9", y: "9", z: "3" },
        after: { refused: [409, 'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\n- .data.y'] },
      },
    ],
  },
  {
    name: "conflicts with several managers are listed by manager",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { y: "2" } },
      {
        by: "c",
        apply: { x: "9", y: "9" },
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\nconflicts with "b":\n- .data.y',
          ],
        },
      },
    ],
  },
  {
    name: "a conflict with somebody who updates names the version",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "b",
        apply: { x: "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "u" using v1: .data.x'] },
      },
    ],
  },
  {
    name: "conflicts of one that applies and one that updates",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", merge: { data: { y: "2" } } },
      {
        by: "b",
        apply: { x: "9", y: "9" },
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\nconflicts with "u" using v1:\n- .data.y',
          ],
        },
      },
    ],
  },
  {
    name: "a shared key conflicts with each owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "1" } },
      {
        by: "c",
        apply: { x: "2" },
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\nconflicts with "b":\n- .data.x',
          ],
        },
      },
    ],
  },
  {
    name: "one of two owners may not change what is shared",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "1" } },
      {
        by: "a",
        apply: { x: "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "b": .data.x'] },
      },
    ],
  },
  {
    name: "force takes only what differs",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "b",
        apply: { x: "9", y: "2" },
        force: true,
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], b: [".x", ".y"] } },
      },
    ],
  },
  {
    name: "force leaves keys that it does not name",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "b",
        apply: { x: "9" },
        force: true,
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], b: [".x"] } },
      },
    ],
  },
  {
    name: "force without a conflict changes nothing of others",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      {
        by: "b",
        apply: { y: "2" },
        force: true,
        after: { value: { x: "1", y: "2" }, owners: { a: [".x"], b: [".y"] } },
      },
    ],
  },
  {
    name: "what was taken by force does not go with its former owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "2" }, force: true },
      { by: "a", apply: undefined, after: { value: { x: "2" }, owners: { b: [".x"] } } },
    ],
  },
  {
    name: "what was taken by force goes with its new owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "2" }, force: true },
      { by: "b", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "a key goes when its only owner leaves it out",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      { by: "a", apply: { y: "2" }, after: { value: { y: "2" }, owners: { a: [".y"] } } },
    ],
  },
  {
    name: "a shared key stays for the other owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      { by: "b", apply: { x: "1" } },
      { by: "a", apply: { y: "2" }, after: { value: { x: "1", y: "2" }, owners: { b: [".x"], a: [".y"] } } },
    ],
  },
  {
    name: "the map goes with its last key",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "the map is emptied, not left out",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "a", apply: {}, after: { owners: { a: ["."] } } },
    ],
  },
  {
    name: "the map of another stays when it is emptied",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: {} },
      { by: "a", apply: undefined, after: { owners: { b: ["."] } } },
    ],
  },
  {
    name: "a key of one that updates stays when nobody applies it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "a",
        apply: { y: "2" },
        after: { value: { x: "1", y: "2" }, owners: { a: [".y"], "u by update": [".", ".x"] } },
      },
    ],
  },
  {
    name: "an update that removes a key takes it from who applied it",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      { by: "u", update: { y: "2" }, after: { value: { y: "2" }, owners: { a: [".y"] } } },
    ],
  },
  {
    name: "an update that changes a key takes it over",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "u",
        update: { x: "9", y: "2" },
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], "u by update": [".x"] } },
      },
    ],
  },
  {
    name: "an update to the same value takes nothing",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", update: { x: "1" }, after: { value: { x: "1" }, owners: { a: [".x"] } } },
    ],
  },
  {
    name: "an update that adds a key leaves the rest with its owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      {
        by: "u",
        update: { x: "1", y: "2" },
        after: { value: { x: "1", y: "2" }, owners: { a: [".x"], "u by update": [".y"] } },
      },
    ],
  },
  {
    name: "applied after an update of the same manager, each keeps its own entry",
    field: "data",
    steps: [
      { by: "a", create: { x: "1" } },
      {
        by: "a",
        apply: { x: "1", y: "2" },
        after: { value: { x: "1", y: "2" }, owners: { a: [".x", ".y"], "a by update": [".", ".x"] } },
      },
    ],
  },
  {
    name: "the same manager's update conflicts with its apply",
    field: "data",
    steps: [
      { by: "a", create: { x: "1" } },
      {
        by: "a",
        apply: { x: "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a" using v1: .data.x'] },
      },
    ],
  },
  {
    name: "a merge patch takes over what it changes",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "u",
        merge: { data: { x: "9" } },
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], "u by update": [".x"] } },
      },
    ],
  },
  {
    name: "a merge patch with null takes the key from everybody",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      { by: "b", apply: { x: "1" } },
      { by: "u", merge: { data: { x: null } }, after: { value: { y: "2" }, owners: { a: [".y"] } } },
    ],
  },
  {
    name: "a strategic patch takes over what it changes",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { y: "9" } },
        after: { value: { x: "1", y: "9" }, owners: { a: [".x"], "u by update": [".y"] } },
      },
    ],
  },
  {
    name: "a JSON patch takes over what it changes",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "u",
        json: [{ op: "replace", path: "/data/x", value: "9" }],
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], "u by update": [".x"] } },
      },
    ],
  },
  {
    name: "a JSON patch that moves a value",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "u",
        json: [{ op: "move", from: "/data/x", path: "/data/z" }],
        after: { value: { y: "2" }, owners: { a: [".y"], "u by update": [".z"] } },
      },
    ],
  },
  {
    name: "a JSON patch that removes the map",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", json: [{ op: "remove", path: "/data" }], after: { owners: {} } },
    ],
  },
  {
    name: "a patch that changes nothing owns nothing",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", merge: { data: { x: "1" } }, after: { value: { x: "1" }, owners: { a: [".x"] } } },
    ],
  },
  {
    name: "an apply over an object that was taken by a patch",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", merge: { data: { x: "9" } } },
      {
        by: "a",
        apply: { x: "1" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "u" using v1: .data.x'] },
      },
    ],
  },
  {
    name: "an apply that agrees with what a patch made of it",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", merge: { data: { x: "9" } } },
      { by: "a", apply: { x: "9" }, after: { value: { x: "9" }, owners: { a: [".x"], "u by update": [".x"] } } },
    ],
  },
  {
    name: "null for a key",
    field: "data",
    steps: [{ by: "a", apply: { x: null }, after: { value: { x: "" }, owners: { a: [".x"] } } }],
  },
  {
    name: "null for the map",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "a", apply: null, after: { owners: { a: ["."] } } },
    ],
  },
  {
    name: "a value of the wrong type",
    field: "data",
    steps: [
      {
        by: "a",
        apply: { x: 7 },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=ConfigMap): .data.x: expected string, got &value.valueUnstructured{Value:7}",
          ],
        },
      },
    ],
  },
  {
    name: "a list for the map",
    field: "data",
    steps: [
      {
        by: "a",
        apply: ["x"],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=ConfigMap): .data: expected map, got &{[x]}",
          ],
        },
      },
    ],
  },
  {
    name: "an empty key's value",
    field: "data",
    steps: [
      { by: "a", apply: { x: "" } },
      {
        by: "b",
        apply: { x: "1" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .data.x'] },
      },
    ],
  },
  {
    name: "bytes",
    field: "binaryData",
    steps: [
      { by: "a", apply: { x: "YQ==" } },
      {
        by: "b",
        apply: { x: "Yg==" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .binaryData.x'] },
      },
    ],
  },
  {
    name: "bytes that are none",
    field: "binaryData",
    steps: [
      {
        by: "a",
        apply: { x: "?" },
        after: {
          refused: [
            500,
            "failed to convert new object (/case; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0",
          ],
        },
      },
    ],
  },
  {
    name: "keys with a prefix",
    field: "labels",
    steps: [
      { by: "a", apply: { "example.com/x": "1" } },
      {
        by: "b",
        apply: { "example.com/x": "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .metadata.labels.example.com/x'] },
      },
    ],
  },
  {
    name: "a key of another goes through null in a merge patch",
    field: "labels",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { y: "1" } },
      { by: "u", merge: { labels: { x: null } }, after: { value: { y: "1" }, owners: { b: [".y"] } } },
    ],
  },
  {
    name: "all of them gone by an update",
    field: "labels",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", update: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "from client side to server side: what the annotation names is no conflict",
    field: "annotations",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: {
          x: "1",
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case","annotations":{"x":"1"}}}',
        },
      },
      {
        by: "kubectl",
        apply: { x: "2" },
        after: {
          value: {
            "kubectl.kubernetes.io/last-applied-configuration":
              '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"x":"2"},"name":"case"}}\n',
            x: "2",
          },
          owners: {
            kubectl: [".x"],
            "kubectl-client-side-apply by update": [".", ".kubectl.kubernetes.io/last-applied-configuration"],
          },
        },
      },
    ],
  },
  {
    name: "from client side to server side: the new value goes in without a conflict",
    field: "data",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: { x: "1", y: "2" },
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case"},"data":{"x":"1","y":"2"}}',
        },
      },
      {
        by: "kubectl",
        apply: { x: "9" },
        after: {
          value: { x: "9", y: "2" },
          owners: { kubectl: [".x"], "kubectl-client-side-apply by update": [".", ".y"] },
        },
      },
    ],
  },
  {
    name: "from client side to server side: what another updated since conflicts",
    field: "data",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: { x: "1" },
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case"},"data":{"x":"1"}}',
        },
      },
      { by: "u", merge: { data: { y: "2" } } },
      {
        by: "kubectl",
        apply: { x: "1", y: "3" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "u" using v1: .data.y'] },
      },
    ],
  },
  {
    name: "from client side to server side: only kubectl may",
    field: "data",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: { x: "1" },
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case"},"data":{"x":"1"}}',
        },
      },
      {
        by: "a",
        apply: { x: "2" },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.x'],
        },
      },
    ],
  },
  {
    name: "from client side to server side: an annotation that is no object",
    field: "data",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: { x: "1" },
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "nonsense" },
      },
      {
        by: "kubectl",
        apply: { x: "2" },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.x'],
        },
      },
    ],
  },
  {
    name: "from client side to server side: what the annotation leaves out conflicts",
    field: "data",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: { x: "1", y: "1" },
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case"},"data":{"x":"1"}}',
        },
      },
      {
        by: "kubectl",
        apply: { x: "2", y: "2" },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.y'],
        },
      },
    ],
  },
  {
    name: "a quantity written in another way is another value",
    field: "limits",
    steps: [
      { by: "a", apply: { cpu: "1" } },
      {
        by: "b",
        apply: { cpu: "1000m" },
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].resources.limits.cpu',
          ],
        },
      },
    ],
  },
  {
    name: "another limit beside it",
    field: "limits",
    steps: [
      { by: "a", apply: { cpu: "1" } },
      {
        by: "b",
        apply: { memory: "1Gi" },
        after: { value: { cpu: "1", memory: "1Gi" }, owners: { a: [".cpu"], b: [".memory"] } },
      },
    ],
  },
  {
    name: "a number where a quantity is",
    field: "limits",
    steps: [{ by: "a", apply: { cpu: 1 }, after: { value: { cpu: "1" }, owners: { a: [".cpu"] } } }],
  },
  {
    name: "a limit goes, the other stays",
    field: "limits",
    steps: [
      { by: "a", apply: { cpu: "1", memory: "1Gi" } },
      { by: "a", apply: { memory: "1Gi" }, after: { value: { memory: "1Gi" }, owners: { a: [".memory"] } } },
    ],
  },
  {
    name: "an atomic map is shared whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      { by: "b", apply: { app: "x" }, after: { value: { app: "x" }, owners: { b: ["."], a: ["."] } } },
    ],
  },
  {
    name: "another key is a conflict over the whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      {
        by: "b",
        apply: { tier: "y" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.selector'] },
      },
    ],
  },
  {
    name: "force puts the whole in its place",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x", old: "1" } },
      { by: "b", apply: { tier: "y" }, force: true, after: { value: { tier: "y" }, owners: { b: ["."] } } },
    ],
  },
  {
    name: "the owner puts another whole in its place",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      { by: "a", apply: { tier: "y" }, after: { value: { tier: "y" }, owners: { a: ["."] } } },
    ],
  },
  {
    name: "a strategic patch adds a key and takes the whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      {
        by: "u",
        strategic: { selector: { tier: "y" } },
        after: { value: { app: "x", tier: "y" }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a merge patch adds a key and takes the whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      {
        by: "u",
        merge: { selector: { tier: "y" } },
        after: { value: { app: "x", tier: "y" }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "emptied",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      { by: "a", apply: {}, after: { owners: { a: ["."] } } },
    ],
  },
  {
    name: "another key is a conflict over the whole",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      {
        by: "b",
        apply: { disk: "ssd", zone: "1" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .template.spec.nodeSelector'] },
      },
    ],
  },
  {
    name: "an update takes the whole",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      { by: "u", update: { disk: "hdd" }, after: { value: { disk: "hdd" }, owners: { "u by update": ["."] } } },
    ],
  },
  {
    name: "left out by its owner",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "shared, then left out by one",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      { by: "b", apply: { disk: "ssd" } },
      { by: "a", apply: undefined, after: { value: { disk: "ssd" }, owners: { b: ["."] } } },
    ],
  },
  {
    name: "a value of the wrong type",
    field: "nodeSelector",
    steps: [
      {
        by: "a",
        apply: { disk: true },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.nodeSelector.disk: expected string, got &value.valueUnstructured{Value:true}",
          ],
        },
      },
    ],
  },
  {
    name: "members of a struct have owners of their own",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1 } },
      {
        by: "b",
        apply: { runAsGroup: 2 },
        after: { value: { runAsUser: 1, runAsGroup: 2 }, owners: { a: [".runAsUser"], b: [".runAsGroup"] } },
      },
    ],
  },
  {
    name: "a member conflicts by its path",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1, fsGroup: 3 } },
      {
        by: "b",
        apply: { runAsUser: 2 },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .template.spec.securityContext.runAsUser'],
        },
      },
    ],
  },
  {
    name: "a struct in the struct",
    field: "securityContext",
    steps: [
      { by: "a", apply: { seccompProfile: { type: "RuntimeDefault" } } },
      {
        by: "b",
        apply: { seLinuxOptions: { level: "s0" } },
        after: {
          value: { seLinuxOptions: { level: "s0" }, seccompProfile: { type: "RuntimeDefault" } },
          owners: { a: [".seccompProfile.type"], b: [".seLinuxOptions.level"] },
        },
      },
    ],
  },
  {
    name: "a member goes, the rest stays",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1, fsGroup: 3 } },
      { by: "a", apply: { fsGroup: 3 }, after: { value: { fsGroup: 3 }, owners: { a: [".fsGroup"] } } },
    ],
  },
  {
    name: "an empty struct",
    field: "securityContext",
    steps: [
      { by: "a", apply: {} },
      { by: "b", apply: { runAsUser: 1 }, after: { value: { runAsUser: 1 }, owners: { a: ["."], b: [".runAsUser"] } } },
    ],
  },
  {
    name: "an unknown member",
    field: "securityContext",
    steps: [
      {
        by: "a",
        apply: { colour: "red" },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.securityContext.colour: field not declared in schema",
          ],
        },
      },
    ],
  },
  {
    name: "a float where a whole number is",
    field: "securityContext",
    steps: [
      {
        by: "a",
        apply: { runAsUser: 1.5 },
        after: {
          refused: [
            500,
            "failed to convert new object (/case; /v1, Kind=PodTemplate) to proper version: unable to convert unstructured object to /v1, Kind=PodTemplate: cannot convert float64 to int64",
          ],
        },
      },
    ],
  },
  {
    name: "a struct given up while another has a member of it",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1 } },
      { by: "b", apply: { runAsGroup: 1 } },
      { by: "a", apply: undefined, after: { value: { runAsGroup: 1 }, owners: { b: [".runAsGroup"] } } },
    ],
  },
  {
    name: "deep structs",
    field: "lifecycle",
    steps: [
      { by: "a", apply: { preStop: { exec: { command: ["x"] } } } },
      {
        by: "b",
        apply: { postStart: { exec: { command: ["y"] } } },
        after: {
          value: { postStart: { exec: { command: ["y"] } }, preStop: { exec: { command: ["x"] } } },
          owners: { a: [".preStop.exec.command"], b: [".postStart.exec.command"] },
        },
      },
    ],
  },
  {
    name: "a list in a deep struct is a whole",
    field: "lifecycle",
    steps: [
      { by: "a", apply: { preStop: { exec: { command: ["x"] } } } },
      {
        by: "b",
        apply: { preStop: { exec: { command: ["y"] } } },
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].lifecycle.preStop.exec.command',
          ],
        },
      },
    ],
  },
  {
    name: "an atomic struct is a whole",
    field: "label selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "b",
        apply: { matchLabels: { app: "x" }, matchExpressions: [{ key: "app", operator: "Exists" }] },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.selector'] },
      },
    ],
  },
  {
    name: "an atomic struct is shared whole",
    field: "label selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "b",
        apply: { matchLabels: { app: "x" } },
        after: { value: { matchLabels: { app: "x" } }, owners: { b: ["."], a: ["."] } },
      },
    ],
  },
  {
    name: "an atomic struct taken by a merge patch",
    field: "budget selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "u",
        merge: { selector: { matchLabels: { tier: "y" } } },
        after: { value: { matchLabels: { app: "x", tier: "y" } }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "an atomic struct taken by force",
    field: "budget selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "b",
        apply: { matchLabels: { app: "y" } },
        force: true,
        after: { value: { matchLabels: { app: "y" } }, owners: { b: ["."] } },
      },
    ],
  },
  {
    name: "an atomic struct left out",
    field: "budget selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "an unknown member within a whole",
    field: "budget selector",
    steps: [
      {
        by: "a",
        apply: { matchLabels: { app: "x" }, colour: "red" },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; policy/v1, Kind=PodDisruptionBudget): .spec.selector.colour: field not declared in schema",
          ],
        },
      },
    ],
  },
  {
    name: "a reference is a whole",
    field: "roleRef",
    steps: [
      { by: "a", apply: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" } },
      {
        by: "b",
        apply: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "y" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .roleRef'] },
      },
    ],
  },
  {
    name: "the members of a union",
    field: "strategy",
    steps: [
      { by: "a", apply: { type: "Recreate" } },
      {
        by: "b",
        apply: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.strategy.type'] },
      },
    ],
  },
  {
    name: "int or string",
    field: "strategy",
    steps: [
      { by: "a", apply: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "b",
        apply: { type: "RollingUpdate", rollingUpdate: { maxSurge: "1" } },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.strategy.rollingUpdate.maxSurge'],
        },
      },
    ],
  },
  {
    name: "what has no schema is a whole",
    field: "free form",
    steps: [
      { by: "a", apply: { x: 1 } },
      { by: "b", apply: { y: 1 }, after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .data'] } },
    ],
  },
  {
    name: "what has no schema is shared whole",
    field: "free form",
    steps: [
      { by: "a", apply: { x: 1 } },
      { by: "b", apply: { x: 1 }, after: { value: { x: 1 }, owners: { b: ["."], a: ["."] } } },
    ],
  },
];
