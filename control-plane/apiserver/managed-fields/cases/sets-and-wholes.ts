import type { FieldCase } from "./run.ts";

/** Applies of sets, and of lists that have one owner as a whole. */
export const SET_CASES: FieldCase[] = [
  {
    name: "a set is united",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x"] },
      {
        by: "b",
        apply: ["e.com/y"],
        after: { value: ["e.com/x", "e.com/y"], owners: { a: ['[="e.com/x"]'], b: ['[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: what both named stays with the other",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x", "e.com/y"] },
      { by: "b", apply: ["e.com/y"] },
      {
        by: "a",
        apply: ["e.com/x"],
        after: { value: ["e.com/x", "e.com/y"], owners: { b: ['[="e.com/y"]'], a: ['[="e.com/x"]'] } },
      },
    ],
  },
  {
    name: "a set: one let go",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x", "e.com/y"] },
      { by: "a", apply: ["e.com/y"], after: { value: ["e.com/y"], owners: { a: ['[="e.com/y"]'] } } },
    ],
  },
  {
    name: "a set: one twice",
    field: "finalizers",
    steps: [
      {
        by: "a",
        apply: ["e.com/x", "e.com/x"],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="e.com/x"]',
          ],
        },
      },
    ],
  },
  {
    name: "a set: the order of the applied",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x", "e.com/y"] },
      {
        by: "a",
        apply: ["e.com/y", "e.com/x"],
        after: { value: ["e.com/y", "e.com/x"], owners: { a: ['[="e.com/x"]', '[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: a new one before another's",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x"] },
      {
        by: "b",
        apply: ["e.com/w", "e.com/x"],
        after: { value: ["e.com/w", "e.com/x"], owners: { a: ['[="e.com/x"]'], b: ['[="e.com/w"]', '[="e.com/x"]'] } },
      },
    ],
  },
  {
    name: "a set: an update takes one out",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x", "e.com/y"] },
      { by: "u", update: ["e.com/y"], after: { value: ["e.com/y"], owners: { a: ['[="e.com/y"]'] } } },
    ],
  },
  {
    name: "a set: an update adds one",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x"] },
      {
        by: "u",
        update: ["e.com/x", "e.com/y"],
        after: { value: ["e.com/x", "e.com/y"], owners: { a: ['[="e.com/x"]'], "u by update": ['[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: a JSON patch adds one",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x"] },
      {
        by: "u",
        json: [{ op: "add", path: "/finalizers/-", value: "e.com/y" }],
        after: { value: ["e.com/x", "e.com/y"], owners: { a: ['[="e.com/x"]'], "u by update": ['[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: an item of the wrong type",
    field: "finalizers",
    steps: [
      {
        by: "a",
        apply: [7],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=ConfigMap): .metadata.finalizers[=7]: expected string, got &value.valueUnstructured{Value:7}",
          ],
        },
      },
    ],
  },
  {
    name: "a set: null in it",
    field: "finalizers",
    steps: [
      {
        by: "a",
        apply: [null],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=ConfigMap): .metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
          ],
        },
      },
    ],
  },
  {
    name: "a set: all of it left out",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x"] },
      { by: "b", apply: ["e.com/y"] },
      { by: "a", apply: undefined, after: { value: ["e.com/y"], owners: { b: ['[="e.com/y"]'] } } },
    ],
  },
  {
    name: "a set: emptied beside another's",
    field: "finalizers",
    steps: [
      { by: "a", apply: ["e.com/x"] },
      { by: "b", apply: ["e.com/y"] },
      { by: "a", apply: [], after: { value: ["e.com/y"], owners: { b: ['[="e.com/y"]'] } } },
    ],
  },
  {
    name: "a whole of objects: another beside it conflicts",
    field: "tolerations",
    steps: [
      { by: "a", apply: [{ key: "x", operator: "Exists" }] },
      {
        by: "b",
        apply: [{ key: "y", operator: "Exists" }],
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .template.spec.tolerations'] },
      },
    ],
  },
  {
    name: "a whole of objects: by force",
    field: "tolerations",
    steps: [
      { by: "a", apply: [{ key: "x", operator: "Exists" }] },
      {
        by: "b",
        apply: [{ key: "y", operator: "Exists" }],
        force: true,
        after: { value: [{ key: "y", operator: "Exists" }], owners: { b: ["."] } },
      },
    ],
  },
  {
    name: "a whole of objects: shared, then changed by one",
    field: "tolerations",
    steps: [
      { by: "a", apply: [{ key: "x", operator: "Exists" }] },
      { by: "b", apply: [{ key: "x", operator: "Exists" }] },
      {
        by: "a",
        apply: [{ key: "y", operator: "Exists" }],
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "b": .template.spec.tolerations'] },
      },
    ],
  },
  {
    name: "a whole of objects: an unknown member",
    field: "tolerations",
    steps: [
      {
        by: "a",
        apply: [{ key: "x", colour: "red" }],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.tolerations[0].colour: field not declared in schema",
          ],
        },
      },
    ],
  },
  {
    name: "a whole of objects in an item",
    field: "envFrom",
    steps: [
      { by: "a", apply: [{ configMapRef: { name: "x" } }] },
      {
        by: "u",
        update: [{ configMapRef: { name: "x" } }, { secretRef: { name: "y" } }],
        after: {
          value: [{ configMapRef: { name: "x" } }, { secretRef: { name: "y" } }],
          owners: { "u by update": ["."] },
        },
      },
    ],
  },
  {
    name: "a whole at the root, emptied",
    field: "rules",
    steps: [
      { by: "a", apply: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
      { by: "a", apply: [], after: { owners: { a: ["."] } } },
    ],
  },
  {
    name: "a whole at the root, left out",
    field: "rules",
    steps: [
      { by: "a", apply: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "a whole of scalars: another order is another value",
    field: "args",
    steps: [
      { by: "a", apply: ["x", "y"] },
      {
        by: "b",
        apply: ["y", "x"],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].args',
          ],
        },
      },
    ],
  },
  {
    name: "a whole of scalars: twice the same",
    field: "args",
    steps: [
      { by: "a", apply: ["x", "x"] },
      { by: "b", apply: ["x", "x"], after: { value: ["x", "x"], owners: { b: ["."], a: ["."] } } },
    ],
  },
  {
    name: "a whole of scalars: an empty text in it",
    field: "args",
    steps: [
      { by: "a", apply: [""] },
      {
        by: "b",
        apply: ["x"],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].args',
          ],
        },
      },
    ],
  },
  {
    name: "a whole of scalars: a number in it",
    field: "args",
    steps: [
      {
        by: "a",
        apply: [1],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers[name="main"].args[0]: expected string, got &value.valueUnstructured{Value:1}',
          ],
        },
      },
    ],
  },
  {
    name: "a whole of scalars: a strategic patch replaces it",
    field: "externalIPs",
    steps: [
      { by: "a", apply: ["192.0.2.1"] },
      {
        by: "u",
        strategic: { externalIPs: ["192.0.2.2"] },
        after: { value: ["192.0.2.2"], owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a whole of scalars that may not change: the conflict comes first",
    field: "accessModes",
    steps: [
      { by: "a", apply: ["ReadWriteOnce"] },
      {
        by: "b",
        apply: ["ReadOnlyMany"],
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.accessModes'] },
      },
    ],
  },
];
