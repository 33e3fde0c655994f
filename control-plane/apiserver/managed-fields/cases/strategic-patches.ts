import type { FieldCase } from "./run.ts";

/** Strategic merge patches: every directive on every type of list, map and struct. */
export const STRATEGIC_CASES: FieldCase[] = [
  {
    name: "a map: merged",
    field: "data",
    steps: [
      { by: "u", create: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { y: "9", z: "3" } },
        after: { value: { x: "1", y: "9", z: "3" }, owners: { "u by update": [".", ".x", ".y", ".z"] } },
      },
    ],
  },
  {
    name: "a map: null takes out",
    field: "data",
    steps: [
      { by: "u", create: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { x: null } },
        after: { value: { y: "2" }, owners: { "u by update": [".", ".y"] } },
      },
    ],
  },
  {
    name: "a map: replaced",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $patch: "replace", y: "2" } },
        after: { value: { y: "2" }, owners: { "u by update": [".", ".y"] } },
      },
    ],
  },
  {
    name: "a map: replaced by nothing",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: { $patch: "replace" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: deleted",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: { $patch: "delete" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: deleted with members beside",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: { $patch: "delete", y: "2" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: merge is no directive for it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $patch: "merge", y: "2" } },
        after: { refused: [500, "unknown patch type: merge in map: map[$patch:merge y:2]"] },
      },
    ],
  },
  {
    name: "a map: an unknown directive",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $patch: "erase" } },
        after: { refused: [500, "unknown patch type: erase in map: map[$patch:erase]"] },
      },
    ],
  },
  {
    name: "a map: a directive where there was none",
    field: "data",
    steps: [
      { by: "u", create: undefined },
      { by: "u", strategic: { data: { $patch: "replace", y: "2" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: $retainKeys keeps what it names",
    field: "data",
    steps: [
      { by: "u", create: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { $retainKeys: ["y", "z"], z: "3" } },
        after: { value: { y: "2", z: "3" }, owners: { "u by update": [".", ".y", ".z"] } },
      },
    ],
  },
  {
    name: "a map: $retainKeys without what it sets",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $retainKeys: ["x"], z: "3" } },
        after: { refused: [400, "invalid patch format of retainKeys"] },
      },
    ],
  },
  {
    name: "a map: $retainKeys that is no list",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $retainKeys: "x" } },
        after: { refused: [400, "invalid patch format of retainKeys"] },
      },
    ],
  },
  {
    name: "a map: null for all of it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: null }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: a list in its place",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: ["x"] },
        after: {
          refused: [422, ' "" is invalid: patch: Invalid value: "map[data:[x]]": cannot restore map from slice'],
        },
      },
    ],
  },
  {
    name: "an atomic map merges all the same",
    field: "service selector",
    steps: [
      { by: "u", create: { app: "x" } },
      {
        by: "u",
        strategic: { selector: { tier: "y" } },
        after: { value: { app: "x", tier: "y" }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "an atomic map: replaced",
    field: "service selector",
    steps: [
      { by: "u", create: { app: "x" } },
      {
        by: "u",
        strategic: { selector: { $patch: "replace", tier: "y" } },
        after: { value: { tier: "y" }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a struct: merged",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1, fsGroup: 3 } },
      {
        by: "u",
        strategic: { securityContext: { runAsUser: 2, fsGroup: null } },
        after: { value: { runAsUser: 2 }, owners: { "u by update": [".", ".runAsUser"] } },
      },
    ],
  },
  {
    name: "a struct: replaced",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1, fsGroup: 3 } },
      {
        by: "u",
        strategic: { securityContext: { $patch: "replace", runAsUser: 2 } },
        after: { value: { runAsUser: 2 }, owners: { "u by update": [".", ".runAsUser"] } },
      },
    ],
  },
  {
    name: "a struct: deleted",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1 } },
      {
        by: "u",
        strategic: { securityContext: { $patch: "delete" } },
        after: { value: {}, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a union: without $retainKeys both stay, and are refused",
    field: "strategy",
    steps: [
      { by: "u", create: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "u",
        strategic: { strategy: { type: "Recreate" } },
        after: {
          refused: [
            422,
            "Deployment.apps \"case\" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
          ],
        },
      },
    ],
  },
  {
    name: "a union: $retainKeys clears the other member",
    field: "strategy",
    steps: [
      { by: "u", create: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "u",
        strategic: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
        after: { value: { type: "Recreate" }, owners: { "u by update": [".type"] } },
      },
    ],
  },
  {
    name: "a union: $retainKeys with an item that is no text",
    field: "strategy",
    steps: [
      { by: "u", create: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "u",
        strategic: { strategy: { $retainKeys: [7], type: "Recreate" } },
        after: { refused: [400, "invalid patch format of retainKeys"] },
      },
    ],
  },
  {
    name: "a struct that is replaced",
    field: "budget selector",
    steps: [
      { by: "u", create: { matchLabels: { app: "x" } } },
      {
        by: "u",
        strategic: { selector: { matchLabels: { tier: "y" } } },
        after: { value: { matchLabels: { tier: "y" } }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a struct that is replaced: null within it",
    field: "budget selector",
    steps: [
      { by: "u", create: { matchLabels: { app: "x" } } },
      {
        by: "u",
        strategic: { selector: { matchLabels: null } },
        after: { value: {}, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a struct that is replaced: null for it",
    field: "budget selector",
    steps: [
      { by: "u", create: { matchLabels: { app: "x" } } },
      { by: "u", strategic: { selector: null }, after: { owners: {} } },
    ],
  },
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
    name: "a list by key: added and ordered",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: {
          containers: [{ name: "w", image: "0" }],
          "$setElementOrder/containers": [{ name: "x" }, { name: "w" }],
        },
        after: {
          value: [
            { name: "x", image: "1" },
            { name: "w", image: "0" },
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
    name: "a list by key: an order alone",
    field: "containers",
    steps: [
      {
        by: "u",
        create: [
          { name: "x", image: "1" },
          { name: "y", image: "2" },
          { name: "z", image: "3" },
        ],
      },
      {
        by: "u",
        strategic: { "$setElementOrder/containers": [{ name: "z" }, { name: "x" }] },
        after: {
          value: [
            { name: "y", image: "2" },
            { name: "z", image: "3" },
            { name: "x", image: "1" },
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
    name: "a list by key: an order that names one that is not there",
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
        strategic: { "$setElementOrder/containers": [{ name: "q" }, { name: "y" }, { name: "x" }] },
        after: {
          value: [
            { name: "y", image: "2" },
            { name: "x", image: "1" },
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
    name: "a list by key: an order without what it changes",
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
        strategic: { containers: [{ name: "x", image: "9" }], "$setElementOrder/containers": [{ name: "y" }] },
        after: {
          refused: [
            500,
            "The order in patch list:\n[map[image:9 name:x]]\n doesn't match $setElementOrder list:\n[map[name:y]]\n",
          ],
        },
      },
    ],
  },
  {
    name: "a list by key: an order in the wrong sequence",
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
        strategic: {
          containers: [
            { name: "x", image: "8" },
            { name: "y", image: "9" },
          ],
          "$setElementOrder/containers": [{ name: "y" }, { name: "x" }],
        },
        after: {
          refused: [
            500,
            "The order in patch list:\n[map[image:8 name:x] map[image:9 name:y]]\n doesn't match $setElementOrder list:\n[map[name:y] map[name:x]]\n",
          ],
        },
      },
    ],
  },
  {
    name: "a list by key: an order that is no list",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { "$setElementOrder/containers": { name: "x" } },
        after: { refused: [500, "expected a []interface {}, but received a map[string]interface {}"] },
      },
    ],
  },
  {
    name: "a list by key: an order of texts",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { "$setElementOrder/containers": ["x"] },
        after: { refused: [500, "value for key 0 is not a map"] },
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
    name: "a set: united",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { finalizers: ["e.com/y"] },
        after: { value: ["e.com/y", "e.com/x"], owners: { "u by update": [".", '[="e.com/x"]', '[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: nothing new",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { finalizers: ["e.com/x"] },
        after: { value: ["e.com/x"], owners: { "u by update": [".", '[="e.com/x"]'] } },
      },
    ],
  },
  {
    name: "a set: one deleted",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x", "e.com/y"] },
      {
        by: "u",
        strategic: { "$deleteFromPrimitiveList/finalizers": ["e.com/x"] },
        after: { value: ["e.com/y"], owners: { "u by update": [".", '[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: one that is not there deleted",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { "$deleteFromPrimitiveList/finalizers": ["e.com/y"] },
        after: { value: ["e.com/x"], owners: { "u by update": [".", '[="e.com/x"]'] } },
      },
    ],
  },
  {
    name: "a set: deleted and added",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { finalizers: ["e.com/z"], "$deleteFromPrimitiveList/finalizers": ["e.com/x"] },
        after: { value: ["e.com/z"], owners: { "u by update": [".", '[="e.com/z"]'] } },
      },
    ],
  },
  {
    name: "a set: ordered",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x", "e.com/y"] },
      {
        by: "u",
        strategic: { "$setElementOrder/finalizers": ["e.com/y", "e.com/x"] },
        after: { value: ["e.com/y", "e.com/x"], owners: { "u by update": [".", '[="e.com/x"]', '[="e.com/y"]'] } },
      },
    ],
  },
  {
    name: "a set: added and ordered",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x", "e.com/y"] },
      {
        by: "u",
        strategic: { finalizers: ["e.com/w"], "$setElementOrder/finalizers": ["e.com/w", "e.com/y", "e.com/x"] },
        after: {
          value: ["e.com/w", "e.com/y", "e.com/x"],
          owners: { "u by update": [".", '[="e.com/w"]', '[="e.com/x"]', '[="e.com/y"]'] },
        },
      },
    ],
  },
  {
    name: "a set: an order without what it adds",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { finalizers: ["e.com/w"], "$setElementOrder/finalizers": ["e.com/x"] },
        after: {
          refused: [500, "The order in patch list:\n[e.com/w]\n doesn't match $setElementOrder list:\n[e.com/x]\n"],
        },
      },
    ],
  },
  {
    name: "a set: deleted, the directive no list",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { "$deleteFromPrimitiveList/finalizers": "e.com/x" },
        after: { value: ["e.com/x"], owners: { "u by update": [".", '[="e.com/x"]'] } },
      },
    ],
  },
  {
    name: "a set: objects in it",
    field: "finalizers",
    steps: [
      { by: "u", create: ["e.com/x"] },
      {
        by: "u",
        strategic: { finalizers: [{ name: "x" }] },
        after: { refused: [500, "list element types are not identical: [[e.com/x] [map[name:x]]]"] },
      },
    ],
  },
  {
    name: "a set: where there was none",
    field: "finalizers",
    steps: [
      { by: "u", create: undefined },
      {
        by: "u",
        strategic: { finalizers: ["e.com/x"], "$setElementOrder/finalizers": ["e.com/x"] },
        after: { value: ["e.com/x"], owners: {} },
      },
    ],
  },
  {
    name: "a list of objects is replaced",
    field: "tolerations",
    steps: [
      { by: "u", create: [{ key: "x", operator: "Exists" }] },
      {
        by: "u",
        strategic: { tolerations: [{ key: "y", operator: "Exists" }] },
        after: { value: [{ key: "y", operator: "Exists" }], owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a list of objects is replaced: a directive in it",
    field: "tolerations",
    steps: [
      { by: "u", create: [{ key: "x", operator: "Exists" }] },
      {
        by: "u",
        strategic: { tolerations: [{ $patch: "replace" }, { key: "y", operator: "Exists" }] },
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ],
        },
      },
    ],
  },
  {
    name: "a list of scalars is replaced",
    field: "args",
    steps: [
      { by: "u", create: ["x", "y"] },
      { by: "u", strategic: { args: ["z"] }, after: { value: ["z"], owners: { "u by update": ["."] } } },
    ],
  },
  {
    name: "a list of scalars is replaced: emptied",
    field: "args",
    steps: [
      { by: "u", create: ["x", "y"] },
      { by: "u", strategic: { args: [] }, after: { owners: {} } },
    ],
  },
  {
    name: "a list of scalars is replaced: one deleted",
    field: "args",
    steps: [
      { by: "u", create: ["x", "y"] },
      {
        by: "u",
        strategic: { "$deleteFromPrimitiveList/args": ["x"] },
        after: { value: ["y"], owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a list of scalars is replaced: ordered",
    field: "args",
    steps: [
      { by: "u", create: ["x", "y"] },
      {
        by: "u",
        strategic: { "$setElementOrder/args": ["y", "x"] },
        after: { value: ["y", "x"], owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a list of another group is replaced",
    field: "metrics",
    steps: [
      {
        by: "u",
        create: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
      {
        by: "u",
        strategic: {
          metrics: [
            { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
          ],
        },
        after: {
          value: [
            { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
          ],
          owners: { "u by update": ["."] },
        },
      },
    ],
  },
  {
    name: "a number",
    field: "replicas",
    steps: [
      { by: "u", create: 0 },
      { by: "u", strategic: { replicas: null }, after: { value: 1, owners: { "u by update": ["."] } } },
    ],
  },
  {
    name: "a text, a map in its place",
    field: "dnsPolicy",
    steps: [
      { by: "u", create: "Default" },
      {
        by: "u",
        strategic: { dnsPolicy: { x: "y" } },
        after: {
          refused: [
            422,
            ' "" is invalid: patch: Invalid value: "map[template:map[spec:map[dnsPolicy:map[x:y]]]]": unrecognized type: string',
          ],
        },
      },
    ],
  },
  {
    name: "an order of a list that the struct does not have",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { "$setElementOrder/colours": ["x"] },
        after: { refused: [500, 'unable to find api field in struct PodSpec for the json field "colours"'] },
      },
    ],
  },
  {
    name: "an order beside a null for the list",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { containers: null, "$setElementOrder/containers": [{ name: "x" }] },
        after: { refused: [500, "expected a []interface {}, but received a %!s(<nil>)"] },
      },
    ],
  },
  {
    name: "an order without the key",
    field: "containers",
    steps: [
      { by: "u", create: [{ name: "x", image: "1" }] },
      {
        by: "u",
        strategic: { "$setElementOrder/containers": [{ image: "1" }] },
        after: { refused: [500, "map: map[image:1] does not contain declared merge key: name"] },
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
  {
    name: "an order of what is no list",
    field: "dnsPolicy",
    steps: [
      { by: "u", create: "Default" },
      {
        by: "u",
        strategic: { "$setElementOrder/dnsPolicy": ["x"] },
        after: { refused: [500, "expected a []interface {}, but received a string"] },
      },
    ],
  },
  {
    name: "an order of a list that is not there",
    field: "dnsPolicy",
    steps: [
      { by: "u", create: "Default" },
      {
        by: "u",
        strategic: { "$setElementOrder/dnsPolicies": ["x"] },
        after: { refused: [500, 'unable to find api field in struct PodSpec for the json field "dnsPolicies"'] },
      },
    ],
  },
  {
    name: "a map: an order in it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { "$setElementOrder/x": ["1"] } },
        after: { refused: [500, "expected a []interface {}, but received a string"] },
      },
    ],
  },
  {
    name: "a map: a deletion list in it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { "$deleteFromPrimitiveList/x": ["1"] } },
        after: { value: { x: "1" }, owners: { "u by update": [".", ".x"] } },
      },
    ],
  },
  {
    name: "a map: an unknown member beside it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { colour: { x: "1" } },
        after: { value: { x: "1" }, owners: { "u by update": [".", ".x"] } },
      },
    ],
  },
  {
    name: "an atomic map: an order of it",
    field: "nodeSelector",
    steps: [
      { by: "u", create: { disk: "ssd" } },
      {
        by: "u",
        strategic: { "$setElementOrder/nodeSelector": ["disk"] },
        after: { refused: [500, "expected a []interface {}, but received a map[string]interface {}"] },
      },
    ],
  },
  {
    name: "a struct: an order in it of a list that is not there",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1 } },
      {
        by: "u",
        strategic: { securityContext: { "$setElementOrder/sysctls": [{ name: "x" }] } },
        after: { value: { runAsUser: 1 }, owners: { "u by update": [".", ".runAsUser"] } },
      },
    ],
  },
  {
    name: "a struct: supplemental groups ordered",
    field: "securityContext",
    steps: [
      { by: "u", create: { supplementalGroups: [1, 2] } },
      {
        by: "u",
        strategic: { securityContext: { "$setElementOrder/supplementalGroups": [2, 1] } },
        after: { value: { supplementalGroups: [2, 1] }, owners: { "u by update": [".", ".supplementalGroups"] } },
      },
    ],
  },
  {
    name: "what has no schema: a new member",
    field: "free form",
    steps: [
      { by: "u", create: { x: { y: 1 } } },
      {
        by: "u",
        strategic: { data: { z: 1 } },
        after: {
          refused: [
            422,
            'ControllerRevision.apps "case" is invalid: data: Invalid value: {"x":{"y":1},"z":1}: field is immutable',
          ],
        },
      },
    ],
  },
  {
    name: "what has no schema may not be merged",
    field: "free form",
    steps: [
      { by: "u", create: { x: { y: 1 } } },
      {
        by: "u",
        strategic: { data: { x: { z: 2 } } },
        after: { refused: [500, 'unable to find api field in struct RawExtension for the json field "x"'] },
      },
    ],
  },
];
