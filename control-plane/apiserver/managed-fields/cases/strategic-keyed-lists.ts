import type { FieldCase } from "./run.ts";

/** Strategic merge patches of lists that are merged by a key. */
export const STRATEGIC_KEYED_LIST_CASES: FieldCase[] = [
  {
    name: "a list by key: an item changed",
    field: "containers",
    steps: [
      {
        by: "u",
        create: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "u",
        strategic: { containers: [{ name: "y", image: "9" }] },
        after: {
          value: [
            { name: "x", image: "1" },
            { name: "y", image: "9" },
          ],
          owners: {
            "u by update": [
              "[x]",
              "[x].image",
              "[x].imagePullPolicy",
              "[x].name",
              "[x].resources",
              "[x].terminationMessagePath",
              "[x].terminationMessagePolicy",
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
    name: "a list by key: an item added stands first",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "w", image: "0" }] },
        after: {
          value: [
            { name: "w", image: "0" },
            { name: "x", image: "1" },
          ],
          owners: {
            "u by update": [
              "[w]",
              "[w].image",
              "[w].imagePullPolicy",
              "[w].name",
              "[w].resources",
              "[w].terminationMessagePath",
              "[w].terminationMessagePolicy",
              "[x]",
              "[x].image",
              "[x].imagePullPolicy",
              "[x].name",
              "[x].resources",
              "[x].terminationMessagePath",
              "[x].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key: deleted",
    field: "containers",
    steps: [
      {
        by: "u",
        create: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
        ],
      },
      {
        by: "u",
        strategic: { containers: [{ name: "x", $patch: "delete" }] },
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
    name: "a list by key: one that is not there deleted",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "y", $patch: "delete" }] },
        after: {
          value: [{ name: "x", image: "1" }],
          owners: {
            "u by update": [
              "[x]",
              "[x].image",
              "[x].imagePullPolicy",
              "[x].name",
              "[x].resources",
              "[x].terminationMessagePath",
              "[x].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key: deleted and added again",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1", command: ["c"] }] },
      {
        by: "u",
        strategic: {
          containers: [
            { name: "x", $patch: "delete" },
            { name: "x", image: "9" },
          ],
        },
        after: {
          value: [{ name: "x", image: "9" }],
          owners: {
            "u by update": [
              "[x]",
              "[x].image",
              "[x].imagePullPolicy",
              "[x].name",
              "[x].resources",
              "[x].terminationMessagePath",
              "[x].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key: replaced",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ $patch: "replace" }, { name: "z", image: "3" }] },
        after: {
          value: [{ name: "z", image: "3" }],
          owners: {
            "u by update": [
              "[z]",
              "[z].image",
              "[z].imagePullPolicy",
              "[z].name",
              "[z].resources",
              "[z].terminationMessagePath",
              "[z].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key: replaced, the directive last",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "z", image: "3" }, { $patch: "replace" }] },
        after: {
          value: [{ name: "z", image: "3" }],
          owners: {
            "u by update": [
              "[z]",
              "[z].image",
              "[z].imagePullPolicy",
              "[z].name",
              "[z].resources",
              "[z].terminationMessagePath",
              "[z].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key: replaced, the directive in an item",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "z", image: "3", $patch: "replace" }] },
        after: { refused: [422, 'PodTemplate "case" is invalid: template.spec.containers: Required value'] },
      },
    ],
  },
  {
    name: "a list by key: an item merged by directive",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "x", image: "2", $patch: "merge" }] },
        after: { refused: [500, "merging lists cannot yet be specified in the patch"] },
      },
    ],
  },
  {
    name: "a list by key: an unknown directive in an item",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ name: "x", $patch: "erase" }] },
        after: { refused: [500, "unknown patch type: erase in map: map[$patch:erase name:x]"] },
      },
    ],
  },
  {
    name: "a list by key: an item without its key",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ image: "2" }] },
        after: { refused: [500, "map: map[image:2] does not contain declared merge key: name"] },
      },
    ],
  },
  {
    name: "a list by key: a delete without the key",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: [{ $patch: "delete", image: "2" }] },
        after: { refused: [500, "map: map[$patch:delete image:2] does not contain declared merge key: name"] },
      },
    ],
  },
  {
    name: "a list by key: an item that is a text",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: ["x"] },
        after: {
          refused: [
            500,
            "list element types are not identical: [[map[image:1 imagePullPolicy:Always name:x resources:map[] terminationMessagePath:/dev/termination-log terminationMessagePolicy:File]] [x]]",
          ],
        },
      },
    ],
  },
  {
    name: "a list by key: null for it",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: null },
        after: { refused: [422, 'PodTemplate "case" is invalid: template.spec.containers: Required value'] },
      },
    ],
  },
  {
    name: "a list by key: a member's null",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1", command: ["c"] }] },
      {
        by: "u",
        strategic: { containers: [{ name: "x", command: null }] },
        after: {
          value: [{ name: "x", image: "1" }],
          owners: {
            "u by update": [
              "[x]",
              "[x].image",
              "[x].imagePullPolicy",
              "[x].name",
              "[x].resources",
              "[x].terminationMessagePath",
              "[x].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key: a map in its place",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: { name: "x" } },
        after: {
          refused: [
            422,
            ' "" is invalid: patch: Invalid value: "map[template:map[spec:map[containers:map[name:x]]]]": cannot restore slice from map',
          ],
        },
      },
    ],
  },
  {
    name: "a list by key within one: added",
    field: "env",
    steps: [
      { by: "u", create: [{ name: "X", value: "1" }] },
      {
        by: "u",
        strategic: { env: [{ name: "Y", value: "2" }] },
        after: {
          value: [
            { name: "Y", value: "2" },
            { name: "X", value: "1" },
          ],
          owners: { "u by update": [".", "[X]", "[X].name", "[X].value", "[Y]", "[Y].name", "[Y].value"] },
        },
      },
    ],
  },
  {
    name: "a list by key within one: deleted",
    field: "env",
    steps: [
      {
        by: "u",
        create: [
          { name: "X", value: "1" },
          { name: "Y", value: "2" },
        ],
      },
      {
        by: "u",
        strategic: { env: [{ name: "X", $patch: "delete" }] },
        after: { value: [{ name: "Y", value: "2" }], owners: { "u by update": [".", "[Y]", "[Y].name", "[Y].value"] } },
      },
    ],
  },
  {
    name: "a list by key within one: replaced",
    field: "env",
    steps: [
      { by: "u", create: [{ name: "X", value: "1" }] },
      {
        by: "u",
        strategic: { env: [{ $patch: "replace" }, { name: "Z", value: "3" }] },
        after: { value: [{ name: "Z", value: "3" }], owners: { "u by update": [".", "[Z]", "[Z].name", "[Z].value"] } },
      },
    ],
  },
  {
    name: "a list with two keys merges by the first",
    field: "ports",
    steps: [
      {
        by: "u",
        create: [
          { containerPort: 80, protocol: "TCP", name: "x" },
          { containerPort: 80, protocol: "UDP", name: "y" },
        ],
      },
      {
        by: "u",
        strategic: { ports: [{ containerPort: 80, name: "z" }] },
        after: {
          value: [
            { name: "z", containerPort: 80, protocol: "TCP" },
            { name: "y", containerPort: 80, protocol: "UDP" },
          ],
          owners: {
            "u by update": [
              ".",
              "[80,TCP]",
              "[80,TCP].containerPort",
              "[80,TCP].name",
              "[80,TCP].protocol",
              "[80,UDP]",
              "[80,UDP].containerPort",
              "[80,UDP].name",
              "[80,UDP].protocol",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list with two keys: deleted by the first",
    field: "ports",
    steps: [
      {
        by: "u",
        create: [
          { containerPort: 80, protocol: "TCP", name: "x" },
          { containerPort: 80, protocol: "UDP", name: "y" },
        ],
      },
      { by: "u", strategic: { ports: [{ containerPort: 80, $patch: "delete" }] }, after: { owners: {} } },
    ],
  },
  {
    name: "a list with two keys: one added",
    field: "service ports",
    steps: [
      { by: "u", create: [{ port: 80, name: "x" }] },
      {
        by: "u",
        strategic: { ports: [{ port: 81, name: "y" }] },
        after: {
          value: [
            { name: "y", port: 81 },
            { name: "x", port: 80 },
          ],
          owners: {
            "u by update": [
              ".",
              "[80,TCP]",
              "[80,TCP].name",
              "[80,TCP].port",
              "[80,TCP].protocol",
              "[80,TCP].targetPort",
              "[81,TCP]",
              "[81,TCP].name",
              "[81,TCP].port",
              "[81,TCP].protocol",
              "[81,TCP].targetPort",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list with two keys: a key as text",
    field: "service ports",
    steps: [
      { by: "u", create: [{ port: 80, name: "x" }] },
      {
        by: "u",
        strategic: { ports: [{ port: "80", name: "y" }] },
        after: {
          refused: [
            422,
            ' "" is invalid: patch: Invalid value: "map[spec:map[ports:[map[name:y port:80]]]]": unrecognized type: int32',
          ],
        },
      },
    ],
  },
  {
    name: "a list with two keys: merged by the first",
    field: "spread",
    steps: [
      { by: "u", create: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      {
        by: "u",
        strategic: { topologySpreadConstraints: [{ topologyKey: "z", maxSkew: 3 }] },
        after: {
          value: [{ maxSkew: 3, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
          owners: {
            "u by update": [
              ".",
              "[z,DoNotSchedule]",
              "[z,DoNotSchedule].maxSkew",
              "[z,DoNotSchedule].topologyKey",
              "[z,DoNotSchedule].whenUnsatisfiable",
            ],
          },
        },
      },
    ],
  },
  {
    name: "a list by key with retained keys: the source changes",
    field: "volumes",
    steps: [
      { by: "u", create: [{ name: "v", emptyDir: {} }] },
      {
        by: "u",
        strategic: { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] },
        after: {
          value: [{ name: "v", configMap: { name: "c" } }],
          owners: {
            "u by update": [".", "[v]", "[v].configMap", "[v].configMap.defaultMode", "[v].configMap.name", "[v].name"],
          },
        },
      },
    ],
  },
  {
    name: "a list by key with retained keys: without the directive there are two sources",
    field: "volumes",
    steps: [
      { by: "u", create: [{ name: "v", emptyDir: {} }] },
      {
        by: "u",
        strategic: { volumes: [{ name: "v", configMap: { name: "c" } }] },
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type',
          ],
        },
      },
    ],
  },
  {
    name: "a list by key with retained keys: all of it retained",
    field: "volumes",
    steps: [
      { by: "u", create: [{ name: "v", emptyDir: { medium: "Memory" } }] },
      {
        by: "u",
        strategic: { volumes: [{ name: "v", $retainKeys: ["name", "emptyDir"], emptyDir: { sizeLimit: "1Gi" } }] },
        after: {
          value: [{ name: "v", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }],
          owners: {
            "u by update": [".", "[v]", "[v].emptyDir", "[v].emptyDir.medium", "[v].emptyDir.sizeLimit", "[v].name"],
          },
        },
      },
    ],
  },
  {
    name: "a list by key with retained keys: deleted",
    field: "volumes",
    steps: [
      {
        by: "u",
        create: [
          { name: "v", emptyDir: {} },
          { name: "w", emptyDir: {} },
        ],
      },
      {
        by: "u",
        strategic: { volumes: [{ name: "v", $patch: "delete" }] },
        after: {
          value: [{ name: "w", emptyDir: {} }],
          owners: { "u by update": [".", "[w]", "[w].emptyDir", "[w].name"] },
        },
      },
    ],
  },
  {
    name: "a list by key of references",
    field: "imagePullSecrets",
    steps: [
      { by: "u", create: [{ name: "x" }] },
      {
        by: "u",
        strategic: { imagePullSecrets: [{ name: "y" }] },
        after: { value: [{ name: "y" }, { name: "x" }], owners: { "u by update": [".", "[x]", "[y]"] } },
      },
    ],
  },
  {
    name: "a deletion list of objects",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { "$deleteFromPrimitiveList/containers": [{ name: "x" }] },
        after: {
          value: [{ name: "x", image: "1" }],
          owners: {
            "u by update": [
              "[x]",
              "[x].image",
              "[x].imagePullPolicy",
              "[x].name",
              "[x].resources",
              "[x].terminationMessagePath",
              "[x].terminationMessagePolicy",
            ],
          },
        },
      },
    ],
  },
];
