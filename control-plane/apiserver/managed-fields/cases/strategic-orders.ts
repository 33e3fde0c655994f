import type { FieldCase } from "./run.ts";

/** Strategic merge patches that give an order of elements. */
export const STRATEGIC_ORDER_CASES: FieldCase[] = [
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
];
