import type { FieldCase } from "./run.ts";

/** Applies of a list by one key: the containers of a template. */
export const CONTAINER_CASES: FieldCase[] = [
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
];
