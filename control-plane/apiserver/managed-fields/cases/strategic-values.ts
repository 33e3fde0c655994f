import type { FieldCase } from "./run.ts";

/** Strategic merge patches of sets, of lists that are replaced, and of single values. */
export const STRATEGIC_VALUE_CASES: FieldCase[] = [
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
