import type { FieldCase } from "./run.ts";

/** Lists under server-side apply: by one key, by several, by keys with a default, sets and wholes. */
export const LIST_CASES: FieldCase[] = [
  {
    name: "two managers with an item each",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "b",
        apply: [{ name: "y", image: "2" }],
        after: {
          value: [
            { name: "x", image: "1" },
            { name: "y", image: "2" },
          ],
          owners: { a: ["[x]", "[x].image", "[x].name"], b: ["[y]", "[y].image", "[y].name"] },
        },
      },
    ],
  },
  {
    name: "two managers with members of one item",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "b",
        apply: [{ name: "x", command: ["c"] }],
        after: {
          value: [{ name: "x", image: "1", command: ["c"] }],
          owners: { a: ["[x]", "[x].image", "[x].name"], b: ["[x]", "[x].command", "[x].name"] },
        },
      },
    ],
  },
  {
    name: "an item goes, its neighbour stays",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "a",
        apply: [{ name: "y", image: "2" }],
        after: { value: [{ name: "y", image: "2" }], owners: { a: ["[y]", "[y].image", "[y].name"] } },
      },
    ],
  },
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
    name: "the order of the applied list counts",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "a",
        apply: [
          { name: "y", image: "2" },
          { name: "x", image: "1" },
        ],
        after: {
          value: [
            { name: "y", image: "2" },
            { name: "x", image: "1" },
          ],
          owners: { a: ["[x]", "[x].image", "[x].name", "[y]", "[y].image", "[y].name"] },
        },
      },
    ],
  },
  {
    name: "a new item among those of another",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "z", image: "3" },
        ],
      },
      {
        by: "b",
        apply: [{ name: "x" }, { name: "y", image: "2" }, { name: "z" }],
        after: {
          value: [
            { name: "x", image: "1" },
            { name: "y", image: "2" },
            { name: "z", image: "3" },
          ],
          owners: {
            a: ["[x]", "[x].image", "[x].name", "[z]", "[z].image", "[z].name"],
            b: ["[x]", "[x].name", "[y]", "[y].image", "[y].name", "[z]", "[z].name"],
          },
        },
      },
    ],
  },
  {
    name: "a new item before those of another",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "b",
        apply: [{ name: "w", image: "0" }, { name: "x" }],
        after: {
          value: [
            { name: "w", image: "0" },
            { name: "x", image: "1" },
          ],
          owners: { a: ["[x]", "[x].image", "[x].name"], b: ["[w]", "[w].image", "[w].name", "[x]", "[x].name"] },
        },
      },
    ],
  },
  {
    name: "an order that contradicts the other's",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "b",
        apply: [{ name: "y" }, { name: "x" }],
        after: {
          value: [
            { name: "y", image: "2" },
            { name: "x", image: "1" },
          ],
          owners: {
            a: ["[x]", "[x].image", "[x].name", "[y]", "[y].image", "[y].name"],
            b: ["[x]", "[x].name", "[y]", "[y].name"],
          },
        },
      },
    ],
  },
  {
    name: "one key twice",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "x", image: "2" },
        ],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers: duplicate entries for key [name="x"]',
          ],
        },
      },
    ],
  },
  {
    name: "no key",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [{ image: "1" }],
        after: { refused: [422, 'PodTemplate "case" is invalid: template.spec.containers[0].name: Required value'] },
      },
    ],
  },
  {
    name: "a key that is null",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [{ name: null, image: "1" }],
        after: { refused: [422, 'PodTemplate "case" is invalid: template.spec.containers[0].name: Required value'] },
      },
    ],
  },
  {
    name: "a key of the wrong type",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [{ name: 7, image: "1" }],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers[name=7].name: expected string, got &value.valueUnstructured{Value:7}",
          ],
        },
      },
    ],
  },
  {
    name: "an item that is no object",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: ["x"],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers: element 0: associative list with keys may not have non-map elements",
          ],
        },
      },
    ],
  },
  {
    name: "an item that is null",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [null],
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers: element 0: associative list with keys may not have a null element",
          ],
        },
      },
    ],
  },
  {
    name: "an object for the list",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: { name: "x" },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers: expected list, got &{map[name:x]}",
          ],
        },
      },
    ],
  },
  {
    name: "several conflicts in several items",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "b",
        apply: [
          { name: "x", image: "9" },
          { name: "y", image: "9" },
        ],
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .template.spec.containers[name="x"].image\n- .template.spec.containers[name="y"].image',
          ],
        },
      },
    ],
  },
  {
    name: "force takes a member of an item",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1", command: ["c"] }] },
      {
        by: "b",
        apply: [{ name: "x", image: "9" }],
        force: true,
        after: {
          value: [{ name: "x", image: "9", command: ["c"] }],
          owners: { a: ["[x]", "[x].command", "[x].name"], b: ["[x]", "[x].image", "[x].name"] },
        },
      },
    ],
  },
  {
    name: "an update that renames an item",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "u",
        update: [{ name: "y", image: "1" }],
        after: {
          value: [{ name: "y", image: "1" }],
          owners: {
            "u by update": [
              "[y]",
              "[y].image",
              "[y].imagePullPolicy",
              "[y].name",
              "[y].resources",
              "[y].terminationMessagePath",
              "[y].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a JSON patch by index",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "u",
        json: [{ op: "replace", path: "/containers/0/image", value: "9" }],
        after: { value: [{ name: "x", image: "9" }], owners: { a: ["[x]", "[x].name"], "u by update": ["[x].image"] } },
      },
    ],
  },
  {
    name: "a merge patch puts the whole list in its place",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "u",
        merge: { containers: [{ name: "y", image: "2" }] },
        after: {
          value: [{ name: "y", image: "2" }],
          owners: {
            "u by update": [
              "[y]",
              "[y].image",
              "[y].imagePullPolicy",
              "[y].name",
              "[y].resources",
              "[y].terminationMessagePath",
              "[y].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a strategic patch changes an item's member",
    field: "containers",
    steps: [
      { by: "a", apply: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "x", image: "9" }] },
        after: { value: [{ name: "x", image: "9" }], owners: { a: ["[x]", "[x].name"], "u by update": ["[x].image"] } },
      },
    ],
  },
  {
    name: "a strategic patch removes an item of another",
    field: "containers",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "u",
        strategic: { containers: [{ name: "x", $patch: "delete" }] },
        after: { value: [{ name: "y", image: "2" }], owners: { a: ["[y]", "[y].image", "[y].name"] } },
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
  {
    name: "of the status, by type",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "b",
        apply: [{ type: "Y", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
        after: {
          value: [
            { type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
            { type: "Y", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
          ],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
            "b of status": ["[Y]", "[Y].lastTransitionTime", "[Y].message", "[Y].reason", "[Y].status", "[Y].type"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a conflict names the subresource",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "b",
        apply: [{ type: "X", status: "False", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.conditions[type="X"].status',
          ],
        },
      },
    ],
  },
  {
    name: "of the status: left out through the status",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      { by: "a", apply: undefined, status: true, after: { owners: {} } },
    ],
  },
  {
    name: "of the status: applied to the object they count for nothing",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        after: { owners: {} },
      },
    ],
  },
  {
    name: "of the status: the object's apply does not remove them",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "a",
        apply: undefined,
        after: {
          value: [{ type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" }],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: an update of the status takes one over",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "u",
        update: [{ type: "X", status: "False", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
        after: {
          value: [{ type: "X", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" }],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].type"],
            "u by update of status": ["[X].status"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a strategic patch of the status",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "u",
        strategic: {
          conditions: [
            { type: "Y", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
          ],
        },
        status: true,
        after: {
          value: [
            { type: "Y", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
            { type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
          ],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
            "u by update of status": [
              "[Y]",
              "[Y].lastTransitionTime",
              "[Y].message",
              "[Y].reason",
              "[Y].status",
              "[Y].type",
            ],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a merge patch of the object does not reach it",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "u",
        merge: { conditions: [] },
        after: {
          value: [{ type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" }],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a whole",
    field: "ingress",
    steps: [
      { by: "u", create: undefined },
      { by: "a", apply: [{ ip: "192.0.2.1" }], status: true },
      {
        by: "b",
        apply: [{ ip: "192.0.2.2" }],
        status: true,
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.loadBalancer.ingress',
          ],
        },
      },
    ],
  },
  {
    name: "of the status: a whole by force",
    field: "ingress",
    steps: [
      { by: "u", create: undefined },
      { by: "a", apply: [{ ip: "192.0.2.1" }], status: true },
      {
        by: "b",
        apply: [{ hostname: "x" }],
        force: true,
        status: true,
        after: { value: [{ hostname: "x" }], owners: { "b of status": ["."] } },
      },
    ],
  },
  {
    name: "several keys",
    field: "spread",
    steps: [
      { by: "a", apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      {
        by: "b",
        apply: [{ topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 2 }],
        after: {
          value: [
            { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" },
            { maxSkew: 2, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" },
          ],
          owners: {
            a: [
              "[z,DoNotSchedule]",
              "[z,DoNotSchedule].maxSkew",
              "[z,DoNotSchedule].topologyKey",
              "[z,DoNotSchedule].whenUnsatisfiable",
            ],
            b: [
              "[z,ScheduleAnyway]",
              "[z,ScheduleAnyway].maxSkew",
              "[z,ScheduleAnyway].topologyKey",
              "[z,ScheduleAnyway].whenUnsatisfiable",
            ],
          },
        },
      },
    ],
  },
  {
    name: "several keys: a conflict names all",
    field: "spread",
    steps: [
      { by: "a", apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      {
        by: "b",
        apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.topologySpreadConstraints[topologyKey="z",whenUnsatisfiable="DoNotSchedule"].maxSkew',
          ],
        },
      },
    ],
  },
  {
    name: "several keys, one left out",
    field: "spread",
    steps: [
      {
        by: "a",
        apply: [{ topologyKey: "z", maxSkew: 1 }],
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
          ],
        },
      },
    ],
  },
  {
    name: "several keys twice",
    field: "spread",
    steps: [
      {
        by: "a",
        apply: [
          { topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 },
          { topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 },
        ],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.topologySpreadConstraints: duplicate entries for key [topologyKey="z",whenUnsatisfiable="DoNotSchedule"]',
          ],
        },
      },
    ],
  },
  {
    name: "several keys: the item of one goes",
    field: "spread",
    steps: [
      { by: "a", apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      { by: "b", apply: [{ topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 2 }] },
      {
        by: "a",
        apply: undefined,
        after: {
          value: [{ maxSkew: 2, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }],
          owners: {
            b: [
              "[z,ScheduleAnyway]",
              "[z,ScheduleAnyway].maxSkew",
              "[z,ScheduleAnyway].topologyKey",
              "[z,ScheduleAnyway].whenUnsatisfiable",
            ],
          },
        },
      },
    ],
  },
  {
    name: "several keys: a whole in an item",
    field: "spread",
    steps: [
      {
        by: "a",
        apply: [
          {
            topologyKey: "z",
            whenUnsatisfiable: "DoNotSchedule",
            maxSkew: 1,
            labelSelector: { matchLabels: { app: "x" } },
          },
        ],
      },
      {
        by: "b",
        apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app: "y" } } }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.topologySpreadConstraints[topologyKey="z",whenUnsatisfiable="DoNotSchedule"].labelSelector',
          ],
        },
      },
    ],
  },
  {
    name: "the key's default: left out by one, written by the other",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "b",
        apply: [{ containerPort: 80, protocol: "TCP", hostPort: 80 }],
        after: {
          value: [{ name: "x", hostPort: 80, containerPort: 80, protocol: "TCP" }],
          owners: {
            a: ["[80,TCP]", "[80,TCP].containerPort", "[80,TCP].name"],
            b: ["[80,TCP]", "[80,TCP].containerPort", "[80,TCP].hostPort", "[80,TCP].protocol"],
          },
        },
      },
    ],
  },
  {
    name: "the key's default makes two of one",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers[name="main"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
          ],
        },
      },
    ],
  },
  {
    name: "one number, two protocols",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [
          { containerPort: 80, protocol: "TCP" },
          { containerPort: 80, protocol: "UDP" },
        ],
      },
      {
        by: "a",
        apply: [{ containerPort: 80, protocol: "UDP" }],
        after: {
          value: [{ containerPort: 80, protocol: "UDP" }],
          owners: { a: ["[80,UDP]", "[80,UDP].containerPort", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "a conflict names both keys",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "b",
        apply: [{ containerPort: 80, name: "y" }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].name',
          ],
        },
      },
    ],
  },
  {
    name: "the protocol changes: another item",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "a",
        apply: [{ containerPort: 80, name: "x", protocol: "UDP" }],
        after: {
          value: [{ name: "x", containerPort: 80, protocol: "UDP" }],
          owners: { a: ["[80,UDP]", "[80,UDP].containerPort", "[80,UDP].name", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "an update of the protocol moves the item",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "u",
        update: [{ containerPort: 80, name: "x", protocol: "UDP" }],
        after: {
          value: [{ name: "x", containerPort: 80, protocol: "UDP" }],
          owners: { "u by update": ["[80,UDP]", "[80,UDP].containerPort", "[80,UDP].name", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "no number",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [{ protocol: "TCP" }],
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.containers[0].ports[0].containerPort: Required value',
          ],
        },
      },
    ],
  },
  {
    name: "a number as text",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [{ containerPort: "80" }],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers[name="main"].ports[containerPort="80",protocol="TCP"].containerPort: expected numeric (int or float), got string',
          ],
        },
      },
    ],
  },
  {
    name: "two ports with names by two managers",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ name: "x", port: 80 }] },
      {
        by: "b",
        apply: [{ name: "y", port: 81 }],
        after: {
          value: [
            { name: "x", port: 80 },
            { name: "y", port: 81 },
          ],
          owners: {
            a: ["[80,TCP]", "[80,TCP].name", "[80,TCP].port"],
            b: ["[81,TCP]", "[81,TCP].name", "[81,TCP].port"],
          },
        },
      },
    ],
  },
  {
    name: "the same port under another protocol",
    field: "service ports",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", port: 80 },
          { name: "y", port: 80, protocol: "UDP" },
        ],
      },
      {
        by: "a",
        apply: [{ name: "y", port: 80, protocol: "UDP" }],
        after: {
          value: [{ name: "y", protocol: "UDP", port: 80 }],
          owners: { a: ["[80,UDP]", "[80,UDP].name", "[80,UDP].port", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "the target: a number and a name",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ port: 80, targetPort: 8080 }] },
      {
        by: "b",
        apply: [{ port: 80, targetPort: "web" }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .spec.ports[port=80,protocol="TCP"].targetPort',
          ],
        },
      },
    ],
  },
  {
    name: "the defaulted target is nobody's",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ port: 80 }] },
      {
        by: "b",
        apply: [{ port: 80, targetPort: 80 }],
        after: {
          value: [{ port: 80, targetPort: 80 }],
          owners: { b: ["[80,TCP]", "[80,TCP].port", "[80,TCP].targetPort"], a: ["[80,TCP]", "[80,TCP].port"] },
        },
      },
    ],
  },
  {
    name: "a merge patch renames one",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ port: 80, name: "x" }] },
      {
        by: "u",
        merge: { ports: [{ port: 80, name: "y" }] },
        after: {
          value: [{ name: "y", port: 80 }],
          owners: { a: ["[80,TCP]", "[80,TCP].port"], "u by update": ["[80,TCP].name"] },
        },
      },
    ],
  },
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
  {
    name: "a whole of objects, written in one version and taken in another",
    field: "metrics",
    steps: [
      {
        by: "a",
        apply: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
      {
        by: "b",
        apply: [
          { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.metrics'] },
      },
    ],
  },
  {
    name: "a number shared, then given to the autoscaler",
    field: "replicas",
    steps: [
      { by: "a", apply: 0 },
      { by: "b", apply: 0 },
      { by: "a", apply: undefined, after: { value: 0, owners: { b: ["."], a: ["."] } } },
    ],
  },
  {
    name: "left out, the default is nobody's",
    field: "replicas",
    steps: [
      { by: "a", apply: 0 },
      { by: "a", apply: undefined, after: { value: 0, owners: { a: ["."] } } },
    ],
  },
  {
    name: "a zero is a value",
    field: "minReadySeconds",
    steps: [
      { by: "a", apply: 0 },
      {
        by: "b",
        apply: 1,
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.minReadySeconds'] },
      },
    ],
  },
  {
    name: "a text changed by an update of its own manager",
    field: "dnsPolicy",
    steps: [
      { by: "a", apply: "Default" },
      { by: "a", update: "ClusterFirst", after: { value: "ClusterFirst", owners: { "a by update": ["."] } } },
    ],
  },
  {
    name: "a text by force, back by force",
    field: "dnsPolicy",
    steps: [
      { by: "a", apply: "Default" },
      { by: "b", apply: "ClusterFirst", force: true },
      { by: "a", apply: "Default", force: true, after: { value: "Default", owners: { a: ["."] } } },
    ],
  },
  {
    name: "applied in v1, then left out in v2",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2, version: "v1" },
      { by: "a", apply: undefined, after: { value: 1, owners: {} } },
    ],
  },
  {
    name: "applied in v1, another value in v2 by another",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2, version: "v1" },
      {
        by: "b",
        apply: 3,
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.minReplicas'] },
      },
    ],
  },
  {
    name: "updated in v1, applied in v2",
    field: "minReplicas",
    steps: [
      { by: "u", create: 2, version: "v1" },
      {
        by: "a",
        apply: 3,
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "u" using autoscaling/v1: .spec.minReplicas'],
        },
      },
    ],
  },
  {
    name: "applied in v2, updated in v1",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2 },
      { by: "u", merge: { minReplicas: 3 }, version: "v1", after: { value: 3, owners: { "u by update": ["."] } } },
    ],
  },
  {
    name: "applied by one in both versions",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2, version: "v1" },
      { by: "a", apply: 2, after: { value: 2, owners: { a: ["."] } } },
    ],
  },
  {
    name: "a field of one version is another in the other",
    field: "targetCPU",
    steps: [
      { by: "a", apply: 50 },
      {
        by: "b",
        apply: 60,
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.targetCPUUtilizationPercentage'],
        },
      },
    ],
  },
  {
    name: "a field of v1 changed through v2",
    field: "targetCPU",
    steps: [
      { by: "a", apply: 50 },
      {
        by: "u",
        merge: {
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
          ],
        },
        version: "v2",
        after: { owners: {} },
      },
    ],
  },
  {
    name: "a field that the other version keeps in an annotation",
    field: "behavior",
    steps: [
      { by: "a", apply: { scaleDown: { stabilizationWindowSeconds: 60 } } },
      {
        by: "u",
        merge: { minReplicas: 2 },
        version: "v1",
        after: { owners: { "a in autoscaling/v2": [".scaleDown.stabilizationWindowSeconds"] } },
      },
    ],
  },
  {
    name: "a field that the other version keeps in an annotation, left out",
    field: "behavior",
    steps: [
      { by: "a", apply: { scaleDown: { stabilizationWindowSeconds: 60 } } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
];
