import type { FieldCase } from "./run.ts";

/** A map that is applied, updated and patched, with values of every kind: who has what then. */
export const UPDATED_MAP_CASES: FieldCase[] = [
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
];
