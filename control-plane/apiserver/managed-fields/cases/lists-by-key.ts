import type { FieldCase } from "./run.ts";

/** Applies of other lists by one key. */
export const KEYED_LIST_CASES: FieldCase[] = [
  {
    name: "an item of which another has a member stays with that",
    field: "hostAliases",
    steps: [
      {
        by: "a",
        apply: [
          { ip: "192.0.2.1", hostnames: ["x"] },
          { ip: "192.0.2.2", hostnames: ["y"] },
        ],
      },
      { by: "b", apply: [{ ip: "192.0.2.1" }] },
      {
        by: "a",
        apply: [{ ip: "192.0.2.2", hostnames: ["y"] }],
        after: {
          value: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2", hostnames: ["y"] }],
          owners: {
            b: ["[192.0.2.1]", "[192.0.2.1].ip"],
            a: ["[192.0.2.2]", "[192.0.2.2].hostnames", "[192.0.2.2].ip"],
          },
        },
      },
    ],
  },
  {
    name: "emptied",
    field: "initContainers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      { by: "a", apply: [], after: { owners: {} } },
    ],
  },
  {
    name: "an empty list owns itself",
    field: "initContainers",
    steps: [
      { by: "a", apply: [] },
      {
        by: "b",
        apply: [{ name: "x", image: "1" }],
        after: { value: [{ name: "x", image: "1" }], owners: { b: ["[x]", "[x].image", "[x].name"] } },
      },
    ],
  },
  {
    name: "a list in an item of a list",
    field: "env",
    steps: [
      { by: "a", apply: [{ name: "X", value: "1" }] },
      {
        by: "b",
        apply: [{ name: "Y", value: "2" }],
        after: {
          value: [
            { name: "X", value: "1" },
            { name: "Y", value: "2" },
          ],
          owners: { a: ["[X]", "[X].name", "[X].value"], b: ["[Y]", "[Y].name", "[Y].value"] },
        },
      },
    ],
  },
  {
    name: "conflict deep in it",
    field: "env",
    steps: [
      { by: "a", apply: [{ name: "X", value: "1" }] },
      {
        by: "b",
        apply: [{ name: "X", value: "2" }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].env[name="X"].value',
          ],
        },
      },
    ],
  },
  {
    name: "from a value to a reference",
    field: "env",
    steps: [
      { by: "a", apply: [{ name: "X", value: "1" }] },
      {
        by: "a",
        apply: [{ name: "X", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        after: {
          value: [{ name: "X", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          owners: { a: ["[X]", "[X].name", "[X].valueFrom.fieldRef"] },
        },
      },
    ],
  },
  {
    name: "an order in which one refers to another",
    field: "env",
    steps: [
      {
        by: "a",
        apply: [
          { name: "X", value: "1" },
          { name: "Y", value: "$(X)" },
        ],
      },
      {
        by: "a",
        apply: [
          { name: "Y", value: "$(X)" },
          { name: "X", value: "1" },
        ],
        after: {
          value: [
            { name: "Y", value: "$(X)" },
            { name: "X", value: "1" },
          ],
          owners: { a: ["[X]", "[X].name", "[X].value", "[Y]", "[Y].name", "[Y].value"] },
        },
      },
    ],
  },
  {
    name: "one key twice in an update, then applied",
    field: "env",
    steps: [
      {
        by: "u",
        create: [
          { name: "X", value: "1" },
          { name: "X", value: "2" },
        ],
      },
      {
        by: "a",
        apply: [{ name: "X", value: "2" }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "u" using v1: .template.spec.containers[name="main"].env[name="X"]',
          ],
        },
      },
    ],
  },
  {
    name: "twice in the live object, one beside them",
    field: "env",
    steps: [
      {
        by: "u",
        create: [
          { name: "X", value: "1" },
          { name: "X", value: "2" },
        ],
      },
      {
        by: "a",
        apply: [{ name: "Y", value: "3" }],
        after: {
          value: [
            { name: "X", value: "1" },
            { name: "X", value: "2" },
            { name: "Y", value: "3" },
          ],
          owners: { a: ["[Y]", "[Y].name", "[Y].value"], "u by update": [".", "[X]"] },
        },
      },
    ],
  },
  {
    name: "an item's source",
    field: "volumes",
    steps: [
      { by: "a", apply: [{ name: "v", emptyDir: {} }] },
      {
        by: "b",
        apply: [{ name: "v", emptyDir: { medium: "Memory" } }],
        after: {
          value: [{ name: "v", emptyDir: { medium: "Memory" } }],
          owners: { a: ["[v]", "[v].emptyDir", "[v].name"], b: ["[v]", "[v].emptyDir.medium", "[v].name"] },
        },
      },
    ],
  },
  {
    name: "an item's source taken by an update",
    field: "volumes",
    steps: [
      { by: "a", apply: [{ name: "v", emptyDir: {} }] },
      {
        by: "u",
        update: [{ name: "v", configMap: { name: "c" } }],
        after: {
          value: [{ name: "v", configMap: { name: "c" } }],
          owners: {
            a: ["[v]", "[v].name"],
            "u by update": ["[v].configMap", "[v].configMap.defaultMode", "[v].configMap.name"],
          },
        },
      },
    ],
  },
  {
    name: "the key is a path",
    field: "volumeMounts",
    steps: [
      { by: "a", apply: [{ mountPath: "/x", name: "v" }] },
      { by: "b", apply: [{ mountPath: "/y", name: "v" }] },
      {
        by: "b",
        apply: [{ mountPath: "/x", name: "w" }],
        force: true,
        after: {
          value: [{ name: "w", mountPath: "/x" }],
          owners: { a: ["[/x]", "[/x].mountPath"], b: ["[/x]", "[/x].mountPath", "[/x].name"] },
        },
      },
    ],
  },
  {
    name: "a whole within an item",
    field: "hostAliases",
    steps: [
      { by: "a", apply: [{ ip: "192.0.2.1", hostnames: ["x"] }] },
      {
        by: "b",
        apply: [{ ip: "192.0.2.1", hostnames: ["x", "y"] }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.hostAliases[ip="192.0.2.1"].hostnames',
          ],
        },
      },
    ],
  },
  {
    name: "items that are wholes",
    field: "imagePullSecrets",
    steps: [
      { by: "a", apply: [{ name: "x" }] },
      { by: "b", apply: [{ name: "x" }, { name: "y" }] },
      { by: "a", apply: undefined, after: { value: [{ name: "x" }, { name: "y" }], owners: { b: ["[x]", "[y]"] } } },
    ],
  },
  {
    name: "an item without a key",
    field: "imagePullSecrets",
    steps: [{ by: "a", apply: [{}], after: { value: [{}], owners: { a: ["[]"] } } }],
  },
  {
    name: "items that are nothing but keys, one let go",
    field: "schedulingGates",
    steps: [
      { by: "a", apply: [{ name: "x" }, { name: "y" }] },
      { by: "b", apply: [{ name: "y" }] },
      { by: "a", apply: undefined, after: { value: [{ name: "y" }], owners: { b: ["[y]", "[y].name"] } } },
    ],
  },
  {
    name: "a reference without its key",
    field: "secrets",
    steps: [
      {
        by: "a",
        apply: [{ namespace: "n" }],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=ServiceAccount): .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
          ],
        },
      },
    ],
  },
  {
    name: "an empty reference",
    field: "secrets",
    steps: [
      {
        by: "a",
        apply: [{}],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=ServiceAccount): .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
          ],
        },
      },
    ],
  },
  {
    name: "without a uid",
    field: "ownerReferences",
    steps: [
      {
        by: "a",
        apply: [{ apiVersion: "v1", kind: "Pod", name: "x" }],
        after: {
          refused: [
            422,
            'ConfigMap "case" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
          ],
        },
      },
    ],
  },
  {
    name: "an item without its key",
    field: "env",
    steps: [
      {
        by: "a",
        apply: [{ value: "1" }],
        after: {
          refused: [422, 'PodTemplate "case" is invalid: template.spec.containers[0].env[0].name: Required value'],
        },
      },
    ],
  },
  {
    name: "an item without its key",
    field: "volumeMounts",
    steps: [
      {
        by: "a",
        apply: [{ name: "v" }],
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.containers[0].volumeMounts[0].mountPath: Required value',
          ],
        },
      },
    ],
  },
  {
    name: "an item without its key",
    field: "hostAliases",
    steps: [
      {
        by: "a",
        apply: [{ hostnames: ["x"] }],
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.hostAliases[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          ],
        },
      },
    ],
  },
  {
    name: "two items without a key",
    field: "imagePullSecrets",
    steps: [
      {
        by: "a",
        apply: [{}, {}],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.imagePullSecrets: duplicate entries for key [name=""]',
          ],
        },
      },
    ],
  },
  {
    name: "a reference changed by an update",
    field: "secrets",
    steps: [
      { by: "a", apply: [{ name: "x" }] },
      {
        by: "u",
        update: [{ name: "x", namespace: "n" }],
        after: { value: [{ name: "x" }], owners: { "u by update": ["[x]"] } },
      },
    ],
  },
  {
    name: "by uid, each a whole",
    field: "ownerReferences",
    steps: [
      { by: "a", apply: [{ uid: "1", apiVersion: "example.com/v1", kind: "Thing", name: "x" }] },
      {
        by: "b",
        apply: [{ uid: "1", apiVersion: "example.com/v1", kind: "Thing", name: "y" }],
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .metadata.ownerReferences[uid="1"]'],
        },
      },
    ],
  },
];
